import { untrack } from 'svelte'

/** Keyboard shortcuts. A view says what its keys do; the help overlay (?) lists what holds now. */
export interface Key {
  /** 'j', 'Enter', 'mod+k', or two in a row: 'g r'. mod is Ctrl, or Cmd on a Mac. */
  keys: string
  does: string
  run: (event: KeyboardEvent) => void
  /** Also while the person types in a field. */
  typing?: boolean
}

export interface Scope {
  title: string
  list: Key[]
}

const PATIENCE = 1200

export const mac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

class Keys {
  scopes = $state.raw<Scope[]>([])
  // While an effect is taken down, state reads as it was before: a scope added in the same step would be lost.
  #all: Scope[] = []
  #before = ''
  #at = 0

  add(scope: Scope): () => void {
    this.#all = this.scopes = [...this.#all, scope]
    return () => {
      this.#all = this.scopes = this.#all.filter((other) => other !== scope)
    }
  }

  /** The newest scope wins: a dialog's keys go before its view's, and those before the shell's. */
  pressed = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return
    const name = nameOf(event)
    if (!name || isPressing(event)) return
    const typing = isTyping(event.target)
    const pair = Date.now() - this.#at < PATIENCE && this.#before ? `${this.#before} ${name}` : ''
    const found = (pair && this.#find(pair, typing, event)) || this.#find(name, typing, event)
    this.#before = found || typing ? '' : name
    this.#at = Date.now()
    if (!found) return
    event.preventDefault()
    found.run(event)
  }

  #find(name: string, typing: boolean, event: KeyboardEvent): Key | undefined {
    // A dialog takes the keyboard for itself: only what it declared, and what holds while typing, goes through.
    const within = event.target instanceof Element ? event.target.closest('dialog[open]') : null
    for (const scope of [...this.#all].reverse()) {
      const key = scope.list.find((one) => one.keys === name && (!typing || one.typing))
      if (key && (!within || key.typing || scope.title.startsWith('Dialog'))) return key
    }
    return undefined
  }
}

function nameOf(event: KeyboardEvent): string {
  if (['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return ''
  if (event.altKey) return ''
  const mod = mac ? event.metaKey : event.ctrlKey
  if (!mod && (event.ctrlKey || event.metaKey)) return ''
  const named = event.key.length > 1
  const shift = event.shiftKey && (named || mod) ? 'shift+' : ''
  return `${mod ? 'mod+' : ''}${shift}${mod ? event.key.toLowerCase() : event.key}`
}

/** Enter and Space on a button or link are its own. */
function isPressing(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' && event.key !== ' ') return false
  return event.target instanceof Element && event.target.closest('button, a[href], summary, [role^="menuitem"]') !== null
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)
}

export const keys = new Keys()

/** In a component: these keys hold while it is shown. Enter and Space on a button still press the button. */
export function useKeys(title: string, list: () => Key[]): void {
  // Asked for when a key is pressed, so that a scope keeps its place while its keys change.
  const scope = {
    title,
    get list() {
      return list()
    },
  }
  $effect(() => untrack(() => keys.add(scope)))
}
