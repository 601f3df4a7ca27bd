import { here } from '../../api/client'
import { router } from '../../state/router.svelte'

/** Titles of memories by id, asked once each: runs and stats name memories by their ids. */
export interface Known {
  title: string
  type: string
  status: string
}

class Titles {
  #known = $state<Record<string, Known>>({})
  #asked = new Set<string>()

  of(id: string): Known | undefined {
    return this.#known[this.#key(id)]
  }

  want(id: string): void {
    const key = this.#key(id)
    if (this.#asked.has(key)) return
    this.#asked.add(key)
    void this.#ask(id, key)
  }

  #key(id: string): string {
    return `${router.wid} ${id}`
  }

  async #ask(id: string, key: string): Promise<void> {
    try {
      const { memory } = await here.get('memory/{mid}', { path: { mid: id } })
      this.#known[key] = { title: memory.title, type: memory.type, status: memory.status }
    } catch {
      // It is gone or was never accepted: its id says what can be said.
    }
  }
}

export const titles = new Titles()
