import type { ModelTool } from '../../ports.ts'
import { EXECUTION_LINE } from '../tools/offered-tools.ts'
import { type Branching, readBranching } from './choose-branch.ts'
import { type Field, readFields, wordsOf } from './schema-fields.ts'
import { splitSentences } from './split-sentences.ts'
import { contentTerms, tokenise } from './tokenise.ts'

/** What a tool is for, as far as its name and schema show. */
export type ToolRole = 'end' | 'transfer' | 'branch' | 'extract' | 'keypad' | 'action'

/** A tool, read once. */
export interface ReadTool {
  readonly tool: ModelTool
  readonly role: ToolRole
  readonly fields: readonly Field[]
  readonly branching: Branching | null
  /** Words of the name without general verbs. */
  readonly nameTerms: readonly string[]
  readonly descriptionTerms: ReadonlySet<string>
}

const generalVerbs = new Set(
  tokenise(
    'get check look lookup up fetch find create make send tool function submit do run call api new query request perform handle',
  ),
)
const generalWords = new Set(
  tokenise('use used tool call function when whenever user customer caller wants asks need allow return given provide'),
)

const handsOver =
  /\b(?:hand|transfer|connect|switch|forward|escalat|pass|rout|put)\w*\b.{0,20}\b(?:conversation|chat|call|user|customer|caller|client|patient|guest)\b.{0,20}\b(?:to|over|with|through)\b/i
const storesWhatWasSaid =
  /^(?:stores?|saves?|extracts?|records?|captures?|remembers?|collects?|notes?)\b.{0,60}\b(?:said|says|told|tells|mentions?|mentioned|gives?|gave|provid\w+)\b/i

function roleOf({ name, description }: ModelTool, branching: Branching | null): ToolRole {
  const words = wordsOf(name)
  if (
    /^(?:end|hang ?up|finish|terminate|close|leave)(?: (?:the )?(?:call|chat|conversation|session|dialogue))?$/.test(
      words,
    )
  )
    return 'end'
  if (branching !== null) return 'branch'
  if (
    /\b(?:transfer|escalat\w*|hand ?off|handover|agent swap|swap agent|connect to|bridge)\b/.test(words) ||
    handsOver.test(description.slice(0, 600))
  )
    return 'transfer'
  if (
    /^(?:extract|collect|capture|record|remember|set variable|store|save (?:user|customer|caller|contact|details|variables?))\b/.test(
      words,
    ) ||
    storesWhatWasSaid.test(description.slice(0, 600))
  )
    return 'extract'
  return /\b(?:press digits?|dtmf|keypad|cancel transfer)\b/.test(words) ? 'keypad' : 'action'
}

/** Reads a tool. `context` is where choices may be described besides the tool itself. */
export function readTool(tool: ModelTool, context: string): ReadTool {
  const branching = readBranching(tool, context)
  const described = splitSentences(tool.description.slice(0, 2_000)).filter(
    (sentence) => !/^(?:do not|don't|never|only)\b/i.test(sentence),
  )
  const nameTerms = [...new Set(tokenise(wordsOf(tool.name)))].filter((term) => !generalVerbs.has(term))
  return {
    tool,
    role: roleOf(tool, branching),
    fields: readFields(tool.parameters).filter(({ path }) => path[0] !== EXECUTION_LINE),
    branching,
    nameTerms: nameTerms.length > 0 ? nameTerms : tokenise(wordsOf(tool.name)),
    descriptionTerms: new Set(described.flatMap(contentTerms).filter((term) => !generalWords.has(term))),
  }
}
