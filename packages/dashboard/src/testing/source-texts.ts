import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { Setting } from '@parley/contract/agent-settings/setting'
import { SETTING_GROUPS } from '@parley/contract/agent-settings/setting-groups'
import { type ESTree, parseSync, Visitor } from 'vite'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))

/** A text in the sources of the dashboard. */
export interface SourceText {
  readonly text: string
  /** File below `src`. */
  readonly file: string
}

export interface SourceTexts {
  /** What is shown through the catalog. */
  readonly translated: readonly SourceText[]
  /** Words that are shown as they are, whatever the language. */
  readonly hardCoded: readonly SourceText[]
}

/** Calls whose first argument is a message of the catalog. */
const TRANSLATORS: ReadonlySet<string> = new Set(['t', 'message'])
/** Attributes that people read or hear. */
const READ_ATTRIBUTES: ReadonlySet<string> = new Set([
  'alt',
  'aria-label',
  'description',
  'help',
  'label',
  'placeholder',
  'submitLabel',
  'title',
  'unit',
])
/** Words that are the same in every language: units, names of formats and of keys. */
const SAME_EVERYWHERE = /^(ms|s|%|kB|MB|USD|JSON|HTTP|URL|API|ID|LLM|v|px|dB|Parley|Ctrl\/⌘ ?\w*)$/
const LETTERS = /\p{L}/u

const hasWords = (text: string): boolean => LETTERS.test(text) && !SAME_EVERYWHERE.test(text.trim())

/** Reads every text of the sources, tests left out. */
export function readSourceTexts(): SourceTexts {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.test\.tsx?$|^testing\//.test(file))
    .sort()
  const parts = files.map(readFile)
  return {
    translated: [...parts.flatMap(({ translated }) => translated), ...readSettingTexts()],
    hardCoded: parts.flatMap(({ hardCoded }) => hardCoded),
  }
}

/** The words of the settings of agents, which forms show through the catalog. */
function readSettingTexts(): SourceText[] {
  const settings: readonly Setting[] = Object.values({ ...AGENT_SETTINGS, ...CHAT_AGENT_SETTINGS })
  const words = settings.flatMap((setting) => [
    setting.label,
    setting.help,
    ...(setting.type === 'choice' ? [setting.unset, ...Object.values(setting.choices)] : []),
  ])
  const groups = Object.values(SETTING_GROUPS).flatMap((group) => [
    group.title,
    'description' in group ? group.description : undefined,
  ])
  return [...words, ...groups].flatMap((text) => (text === undefined ? [] : [{ text, file: 'agent-settings' }]))
}

function readFile(file: string): SourceTexts {
  const translated: SourceText[] = []
  const hardCoded: SourceText[] = []
  const { program } = parseSync(file, readFileSync(`${SOURCES}${file}`, 'utf8'))
  new Visitor({
    CallExpression(call) {
      if (call.callee.type !== 'Identifier' || !TRANSLATORS.has(call.callee.name)) return
      const text = getText(call.arguments[0])
      if (text !== null) translated.push({ text, file })
    },
    JSXText({ value }) {
      if (hasWords(value)) hardCoded.push({ text: value.trim(), file })
    },
    JSXAttribute({ name, value }) {
      const attribute = name.type === 'JSXIdentifier' ? name.name : ''
      const text = value?.type === 'Literal' && typeof value.value === 'string' ? value.value : null
      if (text !== null && READ_ATTRIBUTES.has(attribute) && hasWords(text)) hardCoded.push({ text, file })
    },
  }).visit(program)
  return { translated, hardCoded }
}

/** A literal text; null for anything that is found out at run time. */
function getText(node: ESTree.Node | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? null
  return null
}
