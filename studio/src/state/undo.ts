import { here, type Answer } from '../api/client'
import { toasts, type Action } from './toasts.svelte'

export type Undone = Answer<'/api/workspace/{wid}/undo', 'post'>

/** Take a batch back by its id; without one the last that anybody made. What offered it offers it no more. */
export async function undo(batch = ''): Promise<Undone> {
  const undone = await here.post('undo', { body: { batch } })
  toasts.used(undone.id)
  return undone
}

/** What a toast offers after a change: to take back this batch. Nothing where nothing was written. */
export function undoing(batch: string, run: (batch: string) => void): Action | undefined {
  return batch ? { label: 'Undo', batch, run: () => run(batch) } : undefined
}
