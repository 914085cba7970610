import { readFile } from 'node:fs/promises'
import type { ChatMessage } from '@parley/contract/chat-message'
import { describe, expect } from 'vitest'
import type { RunningServer } from '../../../testing/running-server.ts'
import { expectBody, send } from '../../../testing/server-test.ts'
import { chatOn, runTurn, type ScriptedModel } from '../scripted-model.ts'
import { callsTool, flowChat, says, test, to } from './dialogue-test-kit.ts'

const HEALTHY_WITHIN_MS = 1_000

interface Attack {
  readonly code: string
  readonly expectedResult: RegExp
}

const ATTACKS: Readonly<Record<string, Attack>> = {
  'an endless wait': { code: 'await new Promise(() => {})', expectedResult: /^The tool failed \((timeout|error)\)/ },
  'a memory bomb': {
    code: 'const a = []; for (;;) a.push(new Array(10000).fill("x".repeat(100)))',
    expectedResult: /^The tool failed \(memory\)/,
  },
  'a memory bomb of buffers': {
    code: 'const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))',
    expectedResult: /^The tool failed \(memory\)/,
  },
  'a text that doubles': {
    code: 'let s = "x"; for (;;) s += s',
    expectedResult: /^The tool failed \((memory|error)\)/,
  },
  'deep recursion': {
    code: 'const f = () => f() + 1; return f()',
    expectedResult: /^The tool failed \((error|memory)\)/,
  },
  process: { code: 'return process.env', expectedResult: /^The tool failed \(error\).*process/ },
  require: {
    code: 'return require("fs").readFileSync("/etc/passwd", "utf8")',
    expectedResult: /^The tool failed \(error\).*require/,
  },
  'an import': { code: 'return await import("node:fs")', expectedResult: /^The tool failed \(error\)/ },
  fetch: { code: 'return await fetch("http://127.0.0.1:1/")', expectedResult: /^The tool failed \(error\).*fetch/ },
  'a way out by the constructor': {
    code: 'return [].constructor.constructor("return process")().env',
    expectedResult: /^The tool failed \(error\)/,
  },
  'a changed prototype': {
    code: 'Object.prototype.toString = () => { throw 1 }; JSON.stringify = () => "{}{"; return { a: 1 }',
    expectedResult: /^(\{"a":1\}|The tool failed \(error\))/,
  },
  'a result of 8 MB': {
    code: 'return "x".repeat(8 * 1024 * 1024)',
    expectedResult: /^The tool failed \((too-large|memory)\)/,
  },
}

/** Polls the health during `work`; returns the longest response time in milliseconds. */
async function measureHealthLatency(server: RunningServer, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  let longestMs = 0
  while (!isOver) {
    const startedAt = performance.now()
    expect((await server.call('GET', '/healthz')).status).toBe(200)
    longestMs = Math.max(longestMs, performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await end
  return longestMs
}

async function residentBytes(server: RunningServer): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

/** The result of the code tool, and the agent's reply. Also checks that the conversation continues. */
async function attack(server: RunningServer, model: ScriptedModel, chatId: string, workspaceId = server.workspaceId) {
  const say = async (content: string): Promise<ChatMessage[]> => {
    const answer = send<{ messages: ChatMessage[] }>(server, 'POST', `/api/chats/${chatId}/completions`, {
      workspaceId,
      content,
    })
    return (await expectBody(201, answer)).messages
  }
  model.script(callsTool('attack'), { text: 'It did not work.' }, { text: 'Still here.' })
  const messages = await say('Go')
  expect(messages.at(-1)?.content).toBe('It did not work.')
  expect((await say('And now?')).at(-1)?.content).toBe('Still here.')
  return messages.find(({ role }) => role === 'tool')?.content ?? ''
}

const codeTool = (code: string) => ({ type: 'code', name: 'attack', code, timeout_ms: 5_000 })

describe('a code tool', () => {
  test.for(Object.entries(ATTACKS))(
    '%s is told to the model, and the conversation goes on',
    async ([, { code, expectedResult }], { server, stage }) => {
      const model = stage.model('openai')
      const chatId = await chatOn(server, model, { llm: { general_tools: [codeTool(code)] } })
      const before = await residentBytes(server)
      let content = ''
      const longestMs = await measureHealthLatency(
        server,
        (async () => {
          content = await attack(server, model, chatId)
        })(),
      )
      expect(content).toMatch(expectedResult)
      expect(longestMs).toBeLessThan(HEALTHY_WITHIN_MS)
      expect((await residentBytes(server)) - before).toBeLessThan(150 * 1024 * 1024)
    },
  )

  test('that never ends is stopped, even in two workspaces at once', async ({ server, stage }) => {
    const { id } = await expectBody(
      201,
      server.call<{ id: number }>('POST', '/api/workspaces', { body: { name: 'Other' } }),
    )
    const [first, second] = [stage.model('openai'), stage.model('openai')]
    const firstChatId = await chatOn(server, first, {
      llm: { general_tools: [codeTool('return /^(a+)+$/.test("a".repeat(40) + "b")')] },
    })
    const there = { workspaceId: id }
    const secondChatId = await chatOn(server, second, {
      agent: there,
      llm: { ...there, general_tools: [codeTool('for (;;) {}')] },
      chat: there,
    })
    let contents: string[] = []
    const longestMs = await measureHealthLatency(
      server,
      (async () => {
        contents = await Promise.all([attack(server, first, firstChatId), attack(server, second, secondChatId, id)])
      })(),
    )
    for (const content of contents) expect(content).toMatch(/^The tool failed \(timeout\)/)
    expect(longestMs).toBeLessThan(HEALTHY_WITHIN_MS)
    const again = await chatOn(server, first, {
      llm: { general_tools: [codeTool('return [dv.a, metadata.b]')] },
      chat: { dynamicVariables: { a: 'A' }, metadata: { b: 2 } },
    })
    expect(await attack(server, first, again)).toBe('["A",2]')
  })

  test('in a node takes the else edge when it fails', async ({ server, stage }) => {
    const model = stage.model('openai')
    const nodes = [
      { id: 'bomb', type: 'code', code: 'return nothing.at.all', else_edge: to('sorry') },
      says('sorry', 'I could not work it out.'),
    ]
    const { chatId } = await flowChat(server, model, { flow: { nodes } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('I could not work it out.')
    expect(turn.messages.find(({ role }) => role === 'tool')?.content).toMatch(/^The tool failed \(error\).*nothing/)
  })
})
