import type { Shape } from '../../api/client'

/** The shapes of the API that Review and the explorer use. */
export type Memory = Shape<'MemoryView'>
export type MemoryRow = Shape<'MemoryRow'>
export type MemoryDetail = Shape<'MemoryDetail'>
export type Decision = Shape<'DecisionView'>
export type Failure = Shape<'FailureView'>
export type Learning = Shape<'LearningView'>
export type Quoted = Shape<'QuotedEvidenceView'>
export type TurnRow = Shape<'TurnRow'>
export type Relation = Shape<'RelationView'>
export type Life = Shape<'MemoryLifeView'>
export type Hit = Shape<'HitView'>
export type Candidate = Shape<'CandidateView'>
export type CandidateDetail = Shape<'CandidateDetail'>
export type ConflictRow = Shape<'ConflictRow'>
export type Reviewed = Shape<'ReviewResultView'>
export type MemoryType = Memory['type']

export const TYPES: readonly MemoryType[] = ['decision', 'assumption', 'invariant', 'failure', 'learning', 'pattern']
