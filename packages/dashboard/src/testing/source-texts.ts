import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { Setting } from '@parley/contract/agent-settings/setting'
import { SETTING_GROUPS } from '@parley/contract/agent-settings/setting-groups'
import { type ESTree, parseSync, Visitor } from 'vite'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))

/** A text in the dashboard sources. */
export interface SourceText {
  readonly text: string
  /** Path of the file, relative to `src`. */
  readonly file: string
}

export interface SourceTexts {
  /** Texts that the catalog translates. */
  readonly translated: readonly SourceText[]
  /** Texts that are displayed without translation. */
  readonly hardCoded: readonly SourceText[]
}

/** Functions whose first argument is a catalog message. */
const TRANSLATORS: ReadonlySet<string> = new Set(['t', 'message'])
/** Attributes whose values users see or hear. */
const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set([
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
/** Texts that need no translation: units, format names, and key names. */
const UNTRANSLATED = /^(ms|s|%|kB|MB|USD|JSON|HTTP|URL|API|ID|LLM|v|px|dB|Parley|Ctrl\/⌘ ?\w*)$/
const LETTERS = /\p{L}/u

const needsTranslation = (text: string): boolean => LETTERS.test(text) && !UNTRANSLATED.test(text.trim())

/** Reads all texts in the sources, excluding tests. */
export function readSourceTexts(): SourceTexts {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.test\.tsx?$|^testing\//.test(file))
    .sort()
  const fileTexts = files.map(readFile)
  return {
    translated: [...fileTexts.flatMap(({ translated }) => translated), ...readSettingTexts()],
    hardCoded: fileTexts.flatMap(({ hardCoded }) => hardCoded),
  }
}

/** Reads the labels and help texts of agent settings, which forms translate through the catalog. */
function readSettingTexts(): SourceText[] {
  const settings: readonly Setting[] = Object.values({ ...AGENT_SETTINGS, ...CHAT_AGENT_SETTINGS })
  const settingTexts = settings.flatMap((setting) => [
    setting.label,
    setting.help,
    ...(setting.type === 'choice' ? [setting.unset, ...Object.values(setting.choices)] : []),
  ])
  const groupTexts = Object.values(SETTING_GROUPS).flatMap((group) => [
    group.title,
    'description' in group ? group.description : undefined,
  ])
  return [...settingTexts, ...groupTexts].flatMap((text) =>
    text === undefined ? [] : [{ text, file: 'agent-settings' }],
  )
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
      if (needsTranslation(value)) hardCoded.push({ text: value.trim(), file })
    },
    JSXAttribute({ name, value }) {
      const attribute = name.type === 'JSXIdentifier' ? name.name : ''
      const text = value?.type === 'Literal' && typeof value.value === 'string' ? value.value : null
      if (text !== null && TEXT_ATTRIBUTES.has(attribute) && needsTranslation(text)) hardCoded.push({ text, file })
    },
  }).visit(program)
  return { translated, hardCoded }
}

/** Returns a literal text, or null if the value is only known at run time. */
function getText(node: ESTree.Node | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? null
  return null
}
