import type { ModelTool } from '../../ports.ts'
import { EXECUTION_MESSAGE_FIELD } from '../tools/offered-tools.ts'
import { type Branching, readBranching } from './choose-branch.ts'
import { type Field, isObject, readFields, wordsOf } from './schema-fields.ts'
import { splitSentences } from './split-sentences.ts'
import { contentTerms, tokenize } from './tokenise.ts'

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
  tokenize(
    'get check look lookup up fetch find create make send tool function submit do run call api new query request perform handle',
  ),
)
const generalWords = new Set(
  tokenize('use used tool call function when whenever user customer caller wants asks need allow return given provide'),
)

const handsOver =
  /\b(?:hand|transfer|connect|switch|forward|escalat|pass|rout|put)\w*\b.{0,20}\b(?:conversation|chat|call|user|customer|caller|client|patient|guest)\b.{0,20}\b(?:to|over|with|through)\b/i
const storesWhatWasSaid =
  /^(?:stores?|saves?|extracts?|records?|captures?|remembers?|collects?|notes?)\b.{0,60}\b(?:said|says|told|tells|mentions?|mentioned|gives?|gave|provid\w+)\b/i

const endsConversation =
  /^(?:politely )?(?:hangs? up\b(?! on\b)|(?:ends?|finish(?:es)?|terminates?|closes?|concludes?|leaves?)(?: (?:the|this))?(?: (?:present|current|phone|whole))? (?:call|chat|conversation|session|dialogue)(?=\s*(?:$|[.,;!(]|(?:after|when|whenever|once|if|as|with|politely|because|for good|now|at|and say\w*|upon|on)\b)))/i
/** Without required values, since nobody has to tell what is only noted. */
const notesDown = /^(?:stores?|saves?|extracts?|remembers?|notes?(?: down)?|keeps?|memori[sz]es?)\b/i

/** "Hand over to billing for …", by a tool that needs to know nothing. */
const turnsTo =
  /^(?:please )?(?:hands?|passe?s?|transfers?|forwards?|connects?|switch(?:es)?|escalates?|routes?|redirects?|refers?|puts?)\b(?: (?:over|on|back|through))?(?: (?:to|with)\b|$|[.,])/i

function takesNothing({ parameters: { properties } }: ModelTool): boolean {
  return !isObject(properties) || Object.keys(properties).every((name) => name === EXECUTION_MESSAGE_FIELD)
}

function requiresNothing({ parameters }: ModelTool): boolean {
  const { properties, required } = parameters
  return isObject(properties) && Object.keys(properties).length > 0 && !(Array.isArray(required) && required.length > 0)
}

function roleOf(tool: ModelTool, branching: Branching | null): ToolRole {
  const { name, description } = tool
  const words = wordsOf(name)
  if (
    endsConversation.test(description.slice(0, 600)) ||
    /^(?:end|hang ?up|finish|terminate|close|leave)(?: (?:the )?(?:call|chat|conversation|session|dialogue))?$/.test(
      words,
    )
  )
    return 'end'
  if (branching !== null) return 'branch'
  if (
    /\b(?:transfer|escalat\w*|hand ?off|handover|agent swap|swap agent|connect to|bridge)\b/.test(words) ||
    handsOver.test(description.slice(0, 600)) ||
    (turnsTo.test(description) && takesNothing(tool))
  )
    return 'transfer'
  if (
    /^(?:extract|collect|capture|record|remember|set variable|store|save (?:user|customer|caller|contact|details|variables?))\b/.test(
      words,
    ) ||
    storesWhatWasSaid.test(description.slice(0, 600)) ||
    (notesDown.test(description) && requiresNothing(tool))
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
  const nameTerms = [...new Set(tokenize(wordsOf(tool.name)))].filter((term) => !generalVerbs.has(term))
  return {
    tool,
    role: roleOf(tool, branching),
    fields: readFields(tool.parameters).filter(({ path }) => path[0] !== EXECUTION_MESSAGE_FIELD),
    branching,
    nameTerms: nameTerms.length > 0 ? nameTerms : tokenize(wordsOf(tool.name)),
    descriptionTerms: new Set(described.flatMap(contentTerms).filter((term) => !generalWords.has(term))),
  }
}
