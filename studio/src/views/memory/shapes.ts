import type { Shape } from '../../api/client'

/** The shapes of the API that Review and the explorer use. */
export type Memory = Shape<'Memory'>
export type MemoryRow = Shape<'MemoryRow'>
export type MemoryDetail = Shape<'MemoryDetail'>
export type Decision = Shape<'Decision'>
export type Failure = Shape<'Failure'>
export type Learning = Shape<'Learning'>
export type Quoted = Shape<'Quoted'>
export type TurnRow = Shape<'TurnRow'>
export type Relation = Shape<'Relation'>
export type Life = Shape<'Life'>
export type Hit = Shape<'Hit'>
export type Candidate = Shape<'Candidate'>
export type CandidateDetail = Shape<'CandidateDetail'>
export type ConflictRow = Shape<'ConflictRow'>
export type Reviewed = Shape<'Reviewed'>
export type MemoryType = Memory['type']

export const TYPES: readonly MemoryType[] = ['decision', 'assumption', 'invariant', 'failure', 'learning', 'pattern']
