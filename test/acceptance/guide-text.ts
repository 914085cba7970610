import { readFileSync } from 'node:fs'

/** Commands that start, install or configure something other than the running server. */
const IS_ABOUT_THE_MACHINE = /\b(npm (start|run|install)|createdb|createuser|docker|node (testing|scripts)\/)/

/** A block of commands with the output on the page, or null if the page shows none. */
export interface GuideStep {
  readonly commands: string
  readonly shown: string | null
}

/** Reads a guide and inserts the ports and token of this run. */
export function readGuide(name: string, replacements: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8')
  return text.replace(/\b(4100|4200|4300|4999|sk_your_token)\b/g, (found) => replacements[found] ?? found)
}

/** Returns the code blocks of a language in page order. */
export function codeBlocks(guide: string, language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)
}

/** Returns the command blocks that need only a running server. */
export function guideSteps(guide: string): GuideStep[] {
  return [...guide.matchAll(/^```sh\n(.*?)^```$(?:\n\n```(?:text|json)\n(.*?)^```$)?/gms)]
    .map(([, commands = '', shown]) => ({ commands, shown: shown ?? null }))
    .filter(({ commands }) => !IS_ABOUT_THE_MACHINE.test(commands))
}

/** Values that differ between runs: ids, secrets, times, durations and search scores. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\b(?=\w*\d)[\w-]+…/g, '…'],
  [/\b([a-z]+(?:_[a-z]+)*)_[0-9a-f]{26}\b/g, '$1_#'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#'],
  [/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, '#'],
  [/("?\w*(?:Ms|score|minutes|duration|p\d\d|min|max)"?: ?)[\d.]+/g, '$1#'],
  [/^(id: )\d+|("position":)\d+|(parley_turns\S* )\d+/gm, '$1$2$3#'],
  [/(ratelimit-(?:remaining|reset): )\d+/g, '$1#'],
  [/(pagination-key: )\S+/g, '$1#'],
  [/(curl\/|content-range: bytes )\S+/g, '$1#'],
  [/\w+, \w+ \d+, \d{4} at [\d:]+ [AP]M GMT\S+( \/ \d+)?/g, '#'],
  [/\s+/g, ''],
]

function comparable(text: string): string {
  return CHANGING.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text)
}

/** Whether the page shows what was printed; "…" matches anything, and layout does not count. */
export function isAsShown(shown: string, printed: string): boolean {
  const parts = comparable(shown)
    .split('…')
    .map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(comparable(printed))
}
