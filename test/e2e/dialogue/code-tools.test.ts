import { readFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import type { RunningServer } from '../../../testing/running-server.ts'
import { chatOn, takeTurn } from '../scripted-model.ts'
import { callsTool, flowChat, says, test, to } from './dialogue-test-kit.ts'

const HEALTHY_WITHIN_MS = 1_000

interface Attack {
  readonly code: string
  readonly told: RegExp
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'an endless loop': { code: 'for (;;) {}', told: /^The tool failed \(timeout\)/ },
  'an endless wait': { code: 'await new Promise(() => {})', told: /^The tool failed \((timeout|error)\)/ },
  'endless promises': {
    code: 'const f = () => Promise.resolve().then(f); await f()',
    told: /^The tool failed \(timeout\)/,
  },
  'a memory bomb': {
    code: 'const a = []; for (;;) a.push(new Array(10000).fill("x".repeat(100)))',
    told: /^The tool failed \(memory\)/,
  },
  'a memory bomb of buffers': {
    code: 'const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))',
    told: /^The tool failed \(memory\)/,
  },
  'a text that doubles': { code: 'let s = "x"; for (;;) s += s', told: /^The tool failed \((memory|error)\)/ },
  'a regular expression that blows up': {
    code: 'return /^(a+)+$/.test("a".repeat(40) + "b")',
    told: /^The tool failed \(timeout\)/,
  },
  'deep recursion': { code: 'const f = () => f() + 1; return f()', told: /^The tool failed \((error|memory)\)/ },
  process: { code: 'return process.env', told: /^The tool failed \(error\).*process/ },
  require: {
    code: 'return require("fs").readFileSync("/etc/passwd", "utf8")',
    told: /^The tool failed \(error\).*require/,
  },
  'an import': { code: 'return await import("node:fs")', told: /^The tool failed \(error\)/ },
  fetch: { code: 'return await fetch("http://127.0.0.1:1/")', told: /^The tool failed \(error\).*fetch/ },
  'a way out by the constructor': {
    code: 'return this.constructor.constructor("return process")().env',
    told: /^The tool failed \(error\)/,
  },
  'a huge result': {
    code: 'return "x".repeat(8 * 1024 * 1024)',
    told: /^(The tool failed \((too-large|memory)\)|x+[\s\S]*$)/,
  },
}

/** Asks for health until `work` is over; the longest answer in milliseconds. */
async function watchHealth(server: RunningServer, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  let longestMs = 0
  while (!isOver) {
    const startedAt = performance.now()
    expect((await server.call('GET', '/healthz')).status).toBe(200)
    longestMs = Math.max(longestMs, performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await end
  return longestMs
}

async function residentBytes(server: RunningServer): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

describe('a code tool', () => {
  test('that goes wrong is told to the model, and the conversation goes on', async ({ server, stage }) => {
    const entries = Object.entries(ATTACKS)
    const model = stage.model('openai')
    const general_tools = entries.map(([, { code }], index) => {
      return { type: 'code', name: `code_${index}`, code, timeout_ms: 5_000 }
    })
    const before = await residentBytes(server)
    const attack = async (index: number): Promise<void> => {
      const own = stage.model('openai')
      own.script(callsTool(`code_${index}`), { text: 'It did not work.' }, { text: 'Still here.' })
      const chatId = await chatOn(server, own, { llm: { general_tools } })
      const turn = await takeTurn(server, chatId, { mode: 'plain' })
      const [name, { told }] = entries[index] ?? ['', { told: /^$/ }]
      expect(turn.messages[1]?.content, name).toMatch(told)
      expect(turn.messages.at(-1)?.content, name).toBe('It did not work.')
      const next = await takeTurn(server, chatId, { mode: 'plain', content: 'And now?' })
      expect(next.messages.at(-1)?.content).toBe('Still here.')
    }
    const work = Promise.all(entries.map((_entry, index) => attack(index)))
    expect(await watchHealth(server, work)).toBeLessThan(HEALTHY_WITHIN_MS)
    expect((await residentBytes(server)) - before).toBeLessThan(250 * 1024 * 1024)
    expect(model.requests).toEqual([])
    expect(server.output).not.toContain('"level":60')
  })

  test('in a node goes by its else edge, and a tool beside it is not held up', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    const nodes = [
      { id: 'loop', type: 'code', code: 'for (;;) {}', timeout_ms: 5_000, else_edge: to('sorry') },
      says('sorry', 'I could not work it out.'),
    ]
    const { chatId } = await flowChat(server, model, { flow: { nodes } })
    const slow = takeTurn(server, chatId, { mode: 'plain' })
    const general_tools = [
      { type: 'code', name: 'quick', code: 'return [dv.a, metadata.b]' },
      { type: 'custom', name: 'look_up', url: tools.url },
    ]
    model.script({ toolCalls: ['quick', 'look_up'].map((name) => ({ name, arguments: '{}' })) }, { text: 'Quick.' })
    const other = await chatOn(server, model, {
      llm: { general_tools },
      chat: { dynamicVariables: { a: 'A' }, metadata: { b: 2 } },
    })
    const startedAt = performance.now()
    const quick = await takeTurn(server, other, { mode: 'plain' })
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(quick.messages[1]?.content).toBe('["A",2]')
    expect((await slow).messages.at(-1)?.content).toBe('I could not work it out.')
  })
})
