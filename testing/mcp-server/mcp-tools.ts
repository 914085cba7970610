import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  CreateMessageResultSchema,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'

/** A picture of one pixel, in base64. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export interface ToolOptions {
  /** Number of additional tools. Lists have ten tools per page. */
  readonly moreTools: number
  /** Whether each page refers to another page, endlessly. */
  readonly endlessPages: boolean
  /** Called when a call of `slow` has been canceled. */
  readonly onCancelled: () => void
}

const PAGE_SIZE = 10

const TOOLS: readonly Tool[] = [
  {
    name: 'echo',
    description: 'Says the same.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  },
  ...['slow', 'fails', 'fails_silently', 'huge', 'media', 'asks'].map(
    (name): Tool => ({ name, inputSchema: { type: 'object' } }),
  ),
]

/** Creates a tool server for one session with the official library. */
export function createToolsServer(options: ToolOptions): Server {
  const server = new Server({ name: 'test-tools', version: '1.0.0' }, { capabilities: { tools: {} } })
  const tools = [...TOOLS]
  for (let number = 1; number <= options.moreTools; number++) {
    tools.push({ name: `more_${number}`, description: `Number ${number}.`, inputSchema: { type: 'object' } })
  }
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const start = Number(params?.cursor ?? 0)
    const page = tools.slice(start, start + PAGE_SIZE)
    const hasNext = options.endlessPages || start + PAGE_SIZE < tools.length
    return { tools: page, ...(hasNext && { nextCursor: String(start + PAGE_SIZE) }) }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendRequest }) => {
    const { name, arguments: args = {} } = params
    if (name === 'slow') return await waitForCancellation(signal, options.onCancelled)
    if (name === 'asks') {
      const params = { messages: [], maxTokens: 10 }
      const sampling = sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema)
      return createTextResult(
        await sampling.then(
          () => 'The client answered.',
          () => 'The client refused.',
        ),
      )
    }
    return createToolResult(name, args)
  })
  return server
}

function createToolResult(name: string, args: Readonly<Record<string, unknown>>): CallToolResult {
  switch (name) {
    case 'echo':
      return createTextResult(String(args.text))
    case 'add': {
      const sum = Number(args.a) + Number(args.b)
      return { ...createTextResult(`The sum is ${sum}.`), structuredContent: { sum } }
    }
    case 'fails':
      return { ...createTextResult('No order 7 exists.'), isError: true }
    case 'fails_silently':
      return { content: [], isError: true }
    case 'huge':
      return createTextResult('x'.repeat(5 * 1024 * 1024))
    case 'media':
      return {
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image', data: PIXEL, mimeType: 'image/png' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/\nwav' },
          { type: 'resource_link', uri: 'file:///menu', name: 'menu' },
          { type: 'resource', resource: { uri: 'file:///a', text: 'Soup\u0000' } },
          { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA', mimeType: 'application/pdf' } },
        ],
      }
    default:
      throw new Error(`There is no tool "${name}".`)
  }
}

function createTextResult(content: string): CallToolResult {
  return { content: [{ type: 'text', text: content }] }
}

function waitForCancellation(signal: AbortSignal, onCancelled: () => void): Promise<CallToolResult> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      onCancelled()
      resolve(createTextResult('Too late.'))
    })
  })
}
