import type { Shape } from '../../api/client'

export interface Standing {
  tone: 'plain' | 'good' | 'warn' | 'bad'
  word: string
  /** What to do, a sentence each. */
  todo: string[]
  /** What to type. */
  command: string
}

/** How a client is, worst first. */
export function standing(client: Shape<'ClientRow'>): Standing {
  const todo: string[] = []
  if (client.failuresToday) {
    todo.push(`Its hook failed ${client.failuresToday === 1 ? 'once' : `${client.failuresToday} times`} today: \`holdfast doctor\` says why.`)
  }
  // Heard, though its files are not here: it runs elsewhere, or its home folder is another one.
  if (!client.installed && client.lastEvent) return { tone: 'good', word: 'heard', todo, command: '' }
  if (!client.installed) return { tone: 'plain', word: 'not set up', todo, command: `holdfast init --client ${client.id}` }
  if (!client.complete) {
    return { tone: 'warn', word: 'incomplete', todo: ['Its files changed since it was set up.', ...todo], command: 'holdfast init' }
  }
  if (client.trusted === false) {
    return { tone: 'warn', word: 'not trusted', todo: ['Type `/hooks` in it and trust ours.', ...todo], command: '' }
  }
  if (client.used) {
    const words = 'It was used here, and nothing came: `holdfast doctor` says why that may be.'
    return { tone: 'bad', word: 'silent', todo: [words, ...todo], command: '' }
  }
  if (client.silent) {
    return { tone: 'warn', word: 'silent so far', todo: ['No event came yet. Start a session in it, then look again.', ...todo], command: '' }
  }
  if (client.failuresToday) return { tone: 'warn', word: 'hook failed', todo, command: '' }
  if (!client.hooks) return { tone: 'plain', word: 'no hooks', todo: ['It has none, so nothing is captured; it can still ask over MCP.'], command: '' }
  return client.lastEvent
    ? { tone: 'good', word: 'heard', todo, command: '' }
    : { tone: 'good', word: 'set up', todo: ['Not used here recently.', ...todo], command: '' }
}
