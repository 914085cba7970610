import type { JsonObject, JsonValue } from '../../ports.ts'
import { fillArguments } from './fill-arguments.ts'
import type { Exchange } from './read-messages.ts'
import { fitOfCondition } from './routing/choose-way.ts'
import type { Field } from './schema-fields.ts'
import { call, type Decision, type Situation } from './situation.ts'
import type { ReadTool } from './tool-roles.ts'

/** The smallest fit at which the condition of a value counts as fulfilled. */
const enough = 0.4

/** Everything that the conversation tells of these fields; a value with a condition only when that was fulfilled. */
export function collectVariables(fields: readonly Field[], { reading, knowledge }: Situation): JsonObject {
  return fillArguments(wantedFields(fields, reading.exchanges), reading.exchanges, 0, knowledge.today).args
}

function wantedFields(fields: readonly Field[], exchanges: readonly Exchange[]): Field[] {
  return fields.filter(
    ({ onlyWhen }) =>
      onlyWhen === '' || exchanges.slice(-20).some((exchange) => fitOfCondition(onlyWhen, exchange) >= enough),
  )
}

/** Stores what the user has just told when a tool is there for it: each value once. */
export function collect(situation: Situation): Decision | null {
  const { reading, knowledge } = situation
  for (const tool of situation.tools.filter((one) => one.role === 'extract')) {
    if (reading.calledThisTurn.includes(tool.tool.name)) continue
    const fields = wantedFields(tool.fields, reading.exchanges)
    const latest = fillArguments(fields, reading.exchanges.slice(-1), 0, knowledge.today)
    if (latest.known === 0) continue
    const filling = fillArguments(fields, reading.exchanges, 0, knowledge.today)
    if (filling.missing.length > 0) continue
    const args = newOf(filling.args, tool, reading.calls)
    if (args !== null) return call(tool, args)
  }
  return null
}

/** The values that were not stored before, with the required ones; `null` when all were. */
export function newOf(args: JsonObject, tool: ReadTool, calls: Situation['reading']['calls']): JsonObject | null {
  const stored = new Map<string, JsonValue | undefined>()
  for (const earlier of calls)
    if (earlier.name === tool.tool.name)
      for (const [name, value] of Object.entries(earlier.args)) stored.set(name, value)
  const fresh = Object.entries(args).filter(
    ([name, value]) => JSON.stringify(stored.get(name)) !== JSON.stringify(value),
  )
  if (fresh.length === 0) return null
  const required = tool.tool.parameters.required
  const needed = Object.entries(args).filter(([name]) => Array.isArray(required) && required.includes(name))
  return Object.fromEntries([...needed, ...fresh])
}
