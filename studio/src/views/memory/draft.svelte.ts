import { Problem } from '../../api/problem'

/** A file's text and its sum. */
export interface Version {
  markdown: string
  sha256: string
}

interface Place {
  /** What the file holds now. */
  read: () => Promise<Version>
  save: (markdown: string, sha256: string) => Promise<void>
}

/** A text being edited. It is written over what was read and nothing else; whatever happens, the typed text stays. */
export class Draft {
  text = $state('')
  busy = $state(false)
  problem = $state.raw<Problem | undefined>(undefined)
  /** What stands in the file instead of what was read. */
  theirs = $state.raw<Version | undefined>(undefined)
  /** The file is not there any more. */
  gone = $state(false)
  #base: Version
  #place: Place

  constructor(base: Version, place: Place) {
    this.#base = base
    this.#place = place
    this.text = base.markdown
  }

  get dirty(): boolean {
    return this.text !== this.#base.markdown
  }

  get base(): Version {
    return this.#base
  }

  /** Write it. True when it is on disk. */
  save = async (): Promise<boolean> => {
    this.busy = true
    this.problem = undefined
    try {
      return await this.#write(true)
    } finally {
      this.busy = false
    }
  }

  /** Somebody may have changed the file: look, and say so before the save is tried. */
  look = async (): Promise<void> => {
    try {
      this.#seen(await this.#place.read())
    } catch (thrown) {
      if (Problem.of(thrown).status === 404) this.gone = true
    }
  }

  /** Write my text over the one that stands there now. */
  keepMine = async (): Promise<boolean> => {
    if (this.theirs) this.#base = this.theirs
    this.theirs = undefined
    return this.save()
  }

  /** Go on from the text that stands there; mine is given back, for the clipboard. */
  takeTheirs(): string {
    const mine = this.text
    if (this.theirs) {
      this.#base = this.theirs
      this.text = this.theirs.markdown
    }
    this.theirs = undefined
    this.problem = undefined
    return mine
  }

  async #write(again: boolean): Promise<boolean> {
    const { sha256 } = this.#base
    try {
      await this.#place.save(this.text, sha256)
      return true
    } catch (thrown) {
      const problem = Problem.of(thrown)
      if (problem.status === 404) this.gone = true
      else if (problem.conflict) await this.look()
      if (this.theirs || this.gone) return false
      if (again && this.#base.sha256 !== sha256) return this.#write(false)
      this.problem = problem
      return false
    }
  }

  #seen(now: Version): void {
    if (now.sha256 === this.#base.sha256) return
    // Another entry of the same file changed: the sum is another, the text is not. Then it is written without a question.
    if (now.markdown === this.#base.markdown || now.markdown === this.text) this.#base = now
    else this.theirs = now
  }
}
