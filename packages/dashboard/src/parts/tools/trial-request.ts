import { variablesIn } from '../llm/variables.ts'
import { printJson } from './json-text.ts'
import { sampleArguments } from './sample-arguments.ts'
import type { ToolFields } from './tool-draft.ts'

/** What a trial of a tool is begun with, as it is edited. */
export interface TrialInput {
  /** Arguments as JSON. */
  readonly argumentsText: string
  readonly variables: Readonly<Record<string, string>>
}

/** Arguments out of the schema, and every variable that the tool names. */
export function beginTrial(tool: ToolFields, known: Readonly<Record<string, string>>): TrialInput {
  const texts = textsIn(tool)
  const named = [...texts.flatMap(variablesIn), ...(tool.type === 'code' ? variablesOfCode(tool.code) : [])]
  return {
    argumentsText: printJson(sampleArguments(tool)),
    variables: { ...Object.fromEntries(named.map((name) => [name, ''])), ...known },
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** `dv.name` and `dv['name']`. */
function variablesOfCode(code: unknown): string[] {
  if (typeof code !== 'string') return []
  return [...code.matchAll(/\bdv(?:\.([A-Za-z_]\w*)|\[(['"])([^'"\]]+)\2\])/g)].map(
    ([, dotted, , quoted]) => dotted ?? quoted ?? '',
  )
}
