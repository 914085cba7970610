import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const guides = fileURLToPath(new URL('../../docs/guides/', import.meta.url))
const SEPARATOR = '\u001e'
/** Commands that start, install or configure something outside the running server. */
const IS_ABOUT_THE_MACHINE = /\b(npm (start|run|install)|createdb|createuser|docker|node (testing|scripts)\/)/

/** One block of commands, with the output that the page shows for it; null where it shows none. */
export interface GuideStep {
  readonly commands: string
  readonly shown: string | null
}

export interface GuideResult extends GuideStep {
  readonly printed: string
}

/** A guide as it is published, with other ports in place of its own. */
export function readGuide(name: string, ports: Readonly<Record<string, number>>): string {
  const text = readFileSync(`${guides}${name}.md`, 'utf8')
  return text.replace(/\b(4100|4200|4300|4999)\b/g, (port) => String(ports[port] ?? port))
}

/** The blocks of a language, in the order of the page. */
export function codeBlocks(guide: string, language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code)
}

/** The command blocks that a running server answers. */
export function guideSteps(guide: string): GuideStep[] {
  const blocks = guide.matchAll(/^```sh\n(.*?)^```$(?:\n\n```(?:text|json)\n(.*?)^```$)?/gms)
  return [...blocks]
    .map(([, commands = '', shown]) => ({ commands, shown: shown ?? null }))
    .filter(({ commands }) => !IS_ABOUT_THE_MACHINE.test(commands))
}

/** Runs the steps in one shell, as a reader does in one terminal. */
export async function runSteps(steps: readonly GuideStep[], folder: string, token: string): Promise<GuideResult[]> {
  const script = steps
    .map(({ commands }) => `${commands.replace('sk_your_token', token)}\nprintf '${SEPARATOR}'\n`)
    .join('')
  const { PATH = '', HOME = '' } = process.env
  const shell = spawn('bash', ['-c', `exec 2>&1\n${script}`], { cwd: folder, env: { PATH, HOME } })
  shell.stdin.end()
  let output = ''
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  await new Promise((resolve) => shell.once('close', resolve))
  const printed = output.split(SEPARATOR)
  return steps.map((step, index) => ({ ...step, printed: printed[index] ?? '' }))
}

/** What differs from one run to the next: ids, secrets, times and durations. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\b(?=\w*\d)[\w-]+…/g, '…'],
  [/\b([a-z]+(?:_[a-z]+)*)_[0-9a-f]{26}\b/g, '$1_#'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '#'],
  [/("?(?:durationMs|latencyP\d+Ms|ms)"?: ?)\d+/g, '$1#'],
  [/(ratelimit-(?:remaining|reset): )\d+/g, '$1#'],
  [/(pagination-key: )\S+/g, '$1#'],
  [/curl\/[\d.]+/g, 'curl/#'],
]

function comparable(text: string): string {
  return CHANGING.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text).replace(
    /\s+/g,
    '',
  )
}

/** Whether the page shows what was printed; "…" stands for anything, and layout does not count. */
export function isAsShown({ shown, printed }: GuideResult): boolean {
  if (shown === null) return true
  const parts = comparable(shown)
    .split('…')
    .map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(comparable(printed))
}
