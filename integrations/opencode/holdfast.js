// Holdfast for OpenCode: hands events to our hook, and the hook's words to the agent. What is done with them is decided
// there. Whatever goes wrong here, the session goes on.
import { spawnSync } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"

const HOOK = join(process.env.HOLDFAST_HOME || join(homedir(), ".holdfast"), "bin", "hook")

function tell(payload) {
  try {
    const input = JSON.stringify({ holdfast_client: "opencode", ...payload })
    const { stdout } = spawnSync(HOOK, [], { input, encoding: "utf8", timeout: 10_000, maxBuffer: 16 * 1024 * 1024 })
    return (stdout && JSON.parse(stdout)) || {}
  } catch {
    return {}
  }
}

const quiet = (hook) => async (input, output) => {
  try {
    hook(input, output)
  } catch {
    // Memory is not worth a broken session.
  }
}

const textOf = (parts) =>
  parts
    .filter((part) => part.type === "text" && !part.synthetic && part.text)
    .map((part) => part.text)
    .join("\n")

// `opencode run` puts quotation marks around an argument with a blank in it. What the user typed is the argument.
function typed(text) {
  const said = text.length > 2 && text.startsWith('"') && text.endsWith('"') && text.slice(1, -1).replaceAll('\\"', '"')
  return said && process.argv.includes(said) ? said : text
}

export const Holdfast = async ({ directory }) => {
  const sessions = new Map()

  // Whatever happens in a subagent's session says whose it is.
  const kin = ({ parent, agent } = {}) => (parent ? { parent, agent_type: agent } : {})
  const ask = (event, session, payload) =>
    tell({ event, session, cwd: directory, ...kin(sessions.get(session)), ...payload })
  const send = (event, session, payload) => ask(event, session, payload).context || ""

  // A session that this process did not see begin is one that is taken up again.
  function known(id, begun) {
    if (!sessions.has(id)) {
      const parent = begun?.info?.parentID
      const session = { parent, turn: "", context: "", texts: new Map(), assistants: new Set(), told: new Set() }
      sessions.set(id, session)
      session.context = send(parent ? "subagent_start" : "session_start", id, {
        id: begun?.id,
        source: begun ? "startup" : "resume",
      })
    }
    return sessions.get(id)
  }

  function part(id, { part }) {
    const session = known(id)
    if (part.type === "text" && part.time?.end && session.assistants.has(part.messageID)) {
      const texts = session.texts.get(part.messageID) ?? new Map()
      session.texts.set(part.messageID, texts.set(part.id, part.text))
    }
    if (part.type === "tool" && part.state?.status === "error" && !session.told.has(part.id)) {
      session.told.add(part.id)
      const { callID: call, tool, state } = part
      send("tool_failed", id, { id: part.id, turn: session.turn, call, tool, input: state.input, error: state.error })
    }
  }

  function idle(id) {
    const session = sessions.get(id)
    const [message] = [...(session?.texts.keys() ?? [])].slice(-1)
    if (!message || session.told.has(message)) return
    session.told.add(message)
    const answer = [...session.texts.get(message).values()].join("\n")
    session.texts.clear()
    send(session.parent ? "subagent_stop" : "answer", id, { id: message, turn: session.turn, answer })
  }

  function compacted(id, event) {
    const session = known(id)
    send("after_compact", id, { id: event.id, turn: session.turn })
    session.context = send("session_start", id, { id: event.id, turn: session.turn, source: "compact" }) || session.context
  }

  function ended(id, event) {
    const session = sessions.get(id)
    sessions.delete(id)
    if (!session?.parent) send("session_end", id, { id: event.id, reason: "deleted" })
  }

  const on = {
    "session.created": (id, event) => known(id, { id: event.id, info: event.properties.info }),
    "message.updated": (id, { properties: { info } }) => info.role === "assistant" && known(id).assistants.add(info.id),
    "message.part.updated": (id, event) => part(id, event.properties),
    "session.idle": idle,
    "session.compacted": compacted,
    "session.deleted": ended,
    "session.error": (id, event) =>
      send("session_error", id, { id: event.id, error: event.properties.error?.data?.message ?? event.properties.error?.name }),
  }

  return {
    event: quiet(({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id ?? event.properties?.part?.sessionID
      if (id) on[event.type]?.(id, event)
    }),

    "chat.message": quiet(({ sessionID, agent, model }, { message, parts }) => {
      const session = known(sessionID)
      session.turn = message.id
      session.agent = agent ?? message.agent
      const context = send(session.parent ? "subagent_prompt" : "prompt", sessionID, {
        id: message.id,
        turn: message.id,
        prompt: typed(textOf(parts)),
        agent_type: session.agent,
        model: (model ?? message.model)?.modelID,
      })
      if (!context) return
      const id = (parts[0]?.id ?? `prt_${Date.now().toString(16).padStart(12, "0")}`).slice(0, 16) + "HoldfastMemory"
      parts.unshift({ id, sessionID, messageID: message.id, type: "text", text: context, synthetic: true })
    }),

    "experimental.chat.system.transform": quiet(({ sessionID }, { system }) => {
      const context = sessionID && known(sessionID).context
      if (context) system.push(context)
    }),

    // The one error that is meant: by it OpenCode leaves the tool alone and tells the model why.
    "tool.execute.before": async (input, output) => {
      let denied
      await quiet(({ tool, sessionID, callID }, { args }) => {
        const about = { id: callID, turn: known(sessionID).turn, call: callID, tool, input: args }
        denied = ask("before_tool", sessionID, about).deny
      })(input, output)
      if (denied) throw new Error(denied)
    },

    "tool.execute.after": quiet(({ tool, sessionID, callID, args }, output) => {
      const told = { id: callID, turn: known(sessionID).turn, call: callID, tool, input: args, output: output.output }
      const context = send("after_tool", sessionID, { ...told, title: output.title })
      if (context) output.output += `\n\n${context}`
    }),

    "experimental.session.compacting": quiet(({ sessionID }, { context }) => {
      const words = send("before_compact", sessionID, { turn: known(sessionID).turn })
      if (words) context.push(words)
    }),

    dispose: quiet(() => {
      for (const [id, session] of sessions) if (!session.parent) send("session_end", id, { reason: "exit" })
      sessions.clear()
    }),
  }
}
