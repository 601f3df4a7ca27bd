import { untrack } from 'svelte'

import { api, here, type Shape } from '../api/client'
import { live } from '../api/live.svelte'
import { Problem } from '../api/problem'
import { router } from './router.svelte'

/** What the shell knows: the workspaces, and how much memory the open one holds. Kept true by the live stream. */
class Workspaces {
  all = $state.raw<Shape<'WorkspaceRow'>[] | undefined>(undefined)
  problem = $state.raw<Problem | undefined>(undefined)
  counts = $state.raw<Shape<'MemoryCountsView'> | undefined>(undefined)
  me = $state.raw<Shape<'CallerView'> | undefined>(undefined)

  get current(): Shape<'WorkspaceRow'> | undefined {
    return this.all?.find((one) => one.id === router.wid)
  }

  /** Whether this token may do more than read. */
  get mayReview(): boolean {
    return this.me?.rights.includes('review') ?? false
  }
  get mayRun(): boolean {
    return this.me?.rights.includes('run') ?? false
  }

  /** Sentences on clients that run with memory from before the last acceptance. */
  get restart(): string[] {
    return this.counts?.restart ?? []
  }

  look = async (): Promise<void> => {
    try {
      const [all, me] = await Promise.all([api.get('/api/workspaces'), api.get('/api/me')])
      this.all = all
      this.me = me
      this.problem = undefined
    } catch (thrown) {
      this.problem = Problem.of(thrown)
    }
  }

  /** The counts anew. A failure is left to the view that is open: it asks the same server. */
  count = async (): Promise<void> => {
    const wid = router.wid
    try {
      const counts = await here.get('memory')
      if (wid === router.wid) this.counts = counts
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown
    }
  }
}

export const workspaces = new Workspaces()

const COUNTED = [
  'candidate_added',
  'candidate_removed',
  'memory_changed',
  'briefing_updated',
  'settings_changed',
  'run_started',
  'run_complete',
]
const TOGETHER = 150

/** In the shell: follow the open workspace. */
export function follow(): void {
  $effect(() => {
    const wid = router.wid
    if (!wid) return
    untrack(() => {
      workspaces.counts = undefined
      live.open(`/api/workspace/${encodeURIComponent(wid)}/events`)
    })
    return () => live.close()
  })
  $effect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined
    const later = () => {
      soon ??= setTimeout(() => {
        soon = undefined
        void workspaces.count()
      }, TOGETHER)
    }
    const off = [
      live.on('snapshot', (message) => (workspaces.counts = message.data.counts as Shape<'MemoryCountsView'>)),
      live.on(COUNTED, later),
    ]
    return () => {
      clearTimeout(soon)
      off.forEach((stop) => stop())
    }
  })
}
