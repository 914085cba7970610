import { collectVariables } from './collect-variables.ts'
import { chooseWay } from './routing/choose-way.ts'
import { whenOf } from './routing/when-clause.ts'
import { call, type Decision, propertiesOf, pursue, type Situation } from './situation.ts'
import type { ReadTool } from './tool-roles.ts'

/** Answers a question where to go next; `null` when no tool asks one, or none of its ways fits and it need not be answered. */
export function decideBranch(situation: Situation, required: boolean): Decision | null {
  const { reading, tools } = situation
  for (const tool of tools) {
    const { branching } = tool
    if (branching === null || branching.property === '') continue
    if (!required && reading.calledThisTurn.includes(tool.tool.name)) continue
    const ways = branching.branches.map(({ id, condition }) => ({ id: String(id), condition }))
    const chosen = chooseWay(ways, reading)
    // A fallback ("stay") next to other tools and free speech is the same as no transition.
    if (chosen === null && !required && tools.length > 1) continue
    const otherwise = branching.fallback ?? (required ? branching.branches[0] : undefined)
    const branch = chosen === null ? otherwise : branching.branches[chosen.position]
    if (branch === undefined) continue
    const reason = 'reason' in propertiesOf(tool) ? { reason: chosen?.reason ?? 'None of the conditions fits.' } : {}
    const others = tool.fields.filter(({ path }) => path[0] !== branching.property && path[0] !== 'reason')
    return call(tool, { ...collectVariables(others, situation), ...reason, [branching.property]: branch.id })
  }
  return null
}

/** Whether a tool leads to another state of the conversation. */
export function isTransition(tool: ReadTool): boolean {
  return tool.branching !== null && tool.branching.property === ''
}

/** Goes to another state when its description fits; once a turn, so that nothing goes back and forth. */
export function decideTransition(situation: Situation): Decision | null {
  const { reading, tools } = situation
  const open = tools.filter(isTransition)
  const moved = reading.calledThisTurn.some((name) => /^transition[_-]?to/i.test(name))
  if (open.length === 0 || moved) return null
  const ways = open.map((tool) => ({
    id: tool.tool.name,
    condition: whenOf(tool.branching?.branches[0]?.condition ?? ''),
  }))
  const chosen = chooseWay(ways, reading)
  const tool = chosen === null ? undefined : open[chosen.position]
  return tool === undefined ? null : pursue(tool, situation, 'Sure. ')
}
