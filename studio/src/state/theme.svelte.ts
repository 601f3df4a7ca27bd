/** Light, dark, or as the system says. */
export type Choice = 'system' | 'light' | 'dark'

const KEPT = 'holdfast.theme'
const system = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : undefined

class Theme {
  choice = $state<Choice>(kept())
  systemDark = $state(system?.matches ?? false)

  constructor() {
    system?.addEventListener('change', (event) => {
      this.systemDark = event.matches
      this.show()
    })
    this.show()
  }

  get dark(): boolean {
    return this.choice === 'dark' || (this.choice === 'system' && this.systemDark)
  }

  choose(choice: Choice): void {
    this.choice = choice
    localStorage.setItem(KEPT, choice)
    this.show()
  }

  turn(): void {
    this.choose(this.dark ? 'light' : 'dark')
  }

  private show(): void {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light'
  }
}

function kept(): Choice {
  const found = localStorage.getItem(KEPT)
  return found === 'light' || found === 'dark' ? found : 'system'
}

export const theme = new Theme()
