/** The time, told once a minute: words like “5 minutes ago” stay true. */
class Clock {
  now = $state(Date.now())

  constructor() {
    setInterval(() => (this.now = Date.now()), 60_000)
  }
}

export const clock = new Clock()
