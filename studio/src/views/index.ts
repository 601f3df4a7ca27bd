import type { Component } from 'svelte'

import type { IconName } from '../parts/Icon.svelte'

/** What a view is given: the steps of the address after its own name. The rest it reads from the router. */
export interface ViewProps {
  rest: string[]
}

export interface View {
  id: string
  title: string
  icon: IconName
  /** Pressed after `g`: go there. */
  key: string
  load: () => Promise<{ default: Component<ViewProps> }>
}

/** The views of a workspace, in the order of the navigation. Each is loaded when it is first opened. */
export const VIEWS: View[] = [
  { id: 'overview', title: 'Overview', icon: 'overview', key: 'o', load: () => import('./overview/Overview.svelte') },
  { id: 'review', title: 'Review', icon: 'review', key: 'r', load: () => import('./review/Review.svelte') },
  { id: 'memory', title: 'Memory', icon: 'memory', key: 'm', load: () => import('./memory/Memory.svelte') },
  { id: 'runs', title: 'Observatory', icon: 'observatory', key: 'b', load: () => import('./observatory/Observatory.svelte') },
  { id: 'lineage', title: 'Lineage', icon: 'lineage', key: 'l', load: () => import('./lineage/Lineage.svelte') },
  { id: 'history', title: 'History', icon: 'history', key: 'h', load: () => import('./history/History.svelte') },
  { id: 'signals', title: 'Signals', icon: 'signals', key: 's', load: () => import('./signals/Signals.svelte') },
  { id: 'health', title: 'Health', icon: 'health', key: 'e', load: () => import('./health/Health.svelte') },
  { id: 'settings', title: 'Settings', icon: 'settings', key: 't', load: () => import('./settings/Settings.svelte') },
]

/** Views that are reached from another one: /memory/graph. */
export const INNER: View[] = [
  { id: 'memory/graph', title: 'Graph', icon: 'graph', key: 'g', load: () => import('./graph/Graph.svelte') },
]

export function viewAt(view: string, rest: string[]): { view: View; rest: string[] } | undefined {
  const inner = INNER.find((one) => one.id === `${view}/${rest[0]}`)
  if (inner) return { view: inner, rest: rest.slice(1) }
  const found = VIEWS.find((one) => one.id === view)
  return found && { view: found, rest }
}
