import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { getCompileCacheEnvironment } from '../kernel/work/threads.ts'

/** File descriptor of the channel in the child process. */
const CHANNEL_FD = 3

/** When memory runs out, the operating system terminates the process with the highest score first. */
const HIGHEST_OOM_SCORE = '1000'

/** A message between the server and a child process: a JSON value and bytes. */
export interface Frame<Value> {
  readonly value: Value
  readonly bytes: Uint8Array
}

/** Size of the two length fields for the value and the bytes. */
const HEADER_BYTES = 8

/** Larger than any document, audio or response. A longer message is invalid. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024

const NO_BYTES = new Uint8Array(0)

interface ChannelProcessOptions {
  readonly file: URL
  readonly nodeFlags: readonly string[]
  readonly programArguments: readonly string[]
}

/** Starts a child process with a channel. Neither keeps the server running. */
export function startChannelProcess({ file, nodeFlags, programArguments }: ChannelProcessOptions) {
  // The server's environment contains secrets, so the process receives only the compile cache variables. Its output is
  // discarded, because it could quote what customers sent.
  const child = spawn(process.execPath, [...nodeFlags, '--no-warnings', fileURLToPath(file), ...programArguments], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: getCompileCacheEnvironment(),
    windowsHide: true,
  })
  const channel = getChannel(child)
  // A failed write means that the process crashed. The exit event follows.
  channel.on('error', () => {})
  child.unref()
  if ('unref' in channel && typeof channel.unref === 'function') channel.unref()
  return { child, channel }
}

function getChannel(child: ChildProcess): Duplex {
  const channel = child.stdio[CHANNEL_FD]
  if (channel === null || channel === undefined) throw new Error('The process has no channel.')
  return channel as Duplex
}

/** Opens the channel in the child process, which exits when the server closes the channel or exits. */
export function openParentChannel(): Duplex {
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true })
  const exit = (): never => process.exit(0)
  return channel.on('end', exit).on('error', exit)
}

/** Gives way to the server: with a lower priority, and as the first process to end when memory runs out. */
export function yieldToServer(niceness: number): void {
  runIfAllowed(() => setPriority(niceness))
  runIfAllowed(() => writeFileSync('/proc/self/oom_score_adj', HIGHEST_OOM_SCORE))
}

/** Runs an action that the system or container may forbid. */
function runIfAllowed(action: () => void): void {
  try {
    action()
  } catch {
    // The process then works with normal priority.
  }
}

/** Sends a message. The bytes are not copied, so they must not change until they are sent. */
export function sendFrame(channel: Duplex, value: unknown, bytes: Uint8Array = NO_BYTES): void {
  const text = Buffer.from(JSON.stringify(value))
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(text.byteLength, 0)
  header.writeUInt32LE(bytes.byteLength, 4)
  channel.cork()
  channel.write(header)
  channel.write(text)
  if (bytes.byteLength > 0) channel.write(bytes)
  channel.uncork()
}

/** Receives messages. An invalid message destroys the channel. */
export function receiveFrames<Value>(channel: Duplex, onFrame: (frame: Frame<Value>) => void): void {
  let chunks: Buffer[] = []
  let receivedBytes = 0
  let requiredBytes = HEADER_BYTES
  channel.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    receivedBytes += chunk.byteLength
    while (receivedBytes >= requiredBytes) {
      const buffer = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, receivedBytes)
      chunks = [buffer]
      const textBytes = buffer.readUInt32LE(0)
      const end = HEADER_BYTES + textBytes + buffer.readUInt32LE(4)
      if (end > MAX_FRAME_BYTES) {
        channel.destroy()
        return
      }
      requiredBytes = end
      if (receivedBytes < end) return
      const value = JSON.parse(buffer.toString('utf8', HEADER_BYTES, HEADER_BYTES + textBytes)) as Value
      const bytes = new Uint8Array(buffer.subarray(HEADER_BYTES + textBytes, end))
      chunks = [buffer.subarray(end)]
      receivedBytes -= end
      requiredBytes = HEADER_BYTES
      onFrame({ value, bytes })
    }
  })
}
