import { type WasmInstance, type WasmMemory, type WasmModule, webAssembly } from '../../../kernel/work/threads.ts'

/**
 * Runs a WASI command that needs only arguments, standard output and one output file. Everything stays in memory, so the
 * program has no access to the system.
 */

const SUCCESS = 0
const BAD_DESCRIPTOR = 8
const NOT_SUPPORTED = 58
const STDOUT = 1
const STDERR = 2
/** The only folder of the program, `/`. */
const FOLDER = 3
const FILE = 4
const CHARACTER_DEVICE = 2
const DIRECTORY = 3
const REGULAR_FILE = 4
const ALL_RIGHTS = 0x1fff_ffffn
const FROM_CURRENT = 1
const FROM_END = 2

/** Output of a run. */
export interface ProgramOutput {
  readonly stdout: string
  /** Content of the output file. */
  readonly file: Uint8Array
}

/** Thrown to unwind the program's stack when the program exits. */
class ProgramExit extends Error {}

/** A growing byte buffer. */
class GrowingBytes {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  write(position: number, bytes: Uint8Array): void {
    const end = position + bytes.length
    if (end > this.#bytes.length) {
      const largerBuffer = new Uint8Array(Math.max(end, this.#bytes.length * 2))
      largerBuffer.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = largerBuffer
    }
    this.#bytes.set(bytes, position)
    this.#length = Math.max(this.#length, end)
  }

  getBytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** One run of a program. An instance runs once and can be created before its arguments are known. */
export class WasiProgram {
  readonly #instance: WasmInstance
  readonly #memory: WasmMemory
  readonly #stdout = new GrowingBytes(4_096)
  readonly #file = new GrowingBytes(131_072)
  #arguments: readonly Uint8Array[] = []
  #position = 0

  /** Instantiates the module. This can take milliseconds. */
  constructor(module: WasmModule) {
    this.#instance = new webAssembly.Instance(module, { wasi_snapshot_preview1: this.#createImports() })
    this.#memory = this.#instance.exports.memory as WasmMemory
  }

  /** Runs the program until it exits. Throws if the program crashes. Ignores its exit status. */
  run(programArguments: readonly string[]): ProgramOutput {
    const encoder = new TextEncoder()
    this.#arguments = programArguments.map((argument) => encoder.encode(`${argument.replaceAll('\0', ' ')}\0`))
    try {
      const start = this.#instance.exports._start as () => void
      start()
    } catch (error) {
      if (!(error instanceof ProgramExit)) throw error
    }
    return { stdout: new TextDecoder().decode(this.#stdout.getBytes()), file: this.#file.getBytes() }
  }

  /** Returns a new view, because the memory may have grown. */
  #createView(): DataView {
    return new DataView(this.#memory.buffer)
  }

  #createImports(): Record<string, (...values: never[]) => number> {
    return {
      args_sizes_get: (count: number, size: number) => {
        const view = this.#createView()
        view.setUint32(count, this.#arguments.length, true)
        view.setUint32(
          size,
          this.#arguments.reduce((sum, { length }) => sum + length, 0),
          true,
        )
        return SUCCESS
      },
      args_get: (pointers: number, bytes: number) => this.#writeArguments(pointers, bytes),
      clock_time_get: (_clock: number, _precision: bigint, time: number) => {
        this.#createView().setBigUint64(time, 0n, true)
        return SUCCESS
      },
      fd_prestat_get: (descriptor: number, result: number) => {
        if (descriptor !== FOLDER) return BAD_DESCRIPTOR
        this.#createView().setUint32(result, 0, true)
        this.#createView().setUint32(result + 4, 1, true)
        return SUCCESS
      },
      fd_prestat_dir_name: (_descriptor: number, path: number) => {
        this.#createView().setUint8(path, '/'.charCodeAt(0))
        return SUCCESS
      },
      fd_fdstat_get: (descriptor: number, result: number) => this.#writeDescriptorStatus(descriptor, result),
      fd_fdstat_set_flags: () => SUCCESS,
      path_open: (...values: number[]) => this.#openFile(values[8] ?? 0),
      fd_close: () => SUCCESS,
      fd_read: (_descriptor: number, _vectors: number, _count: number, read: number) => {
        this.#createView().setUint32(read, 0, true)
        return SUCCESS
      },
      fd_seek: (descriptor: number, offset: bigint, whence: number, result: number) =>
        this.#seek(descriptor, { offset: Number(offset), whence, result }),
      fd_write: (descriptor: number, vectors: number, count: number, written: number) =>
        this.#write(descriptor, { vectors, count, written }),
      proc_exit: () => {
        throw new ProgramExit()
      },
    }
  }

  #writeArguments(pointers: number, bytes: number): number {
    const view = this.#createView()
    const memory = new Uint8Array(this.#memory.buffer)
    let address = bytes
    for (const [index, argument] of this.#arguments.entries()) {
      view.setUint32(pointers + index * 4, address, true)
      memory.set(argument, address)
      address += argument.length
    }
    return SUCCESS
  }

  #writeDescriptorStatus(descriptor: number, result: number): number {
    if (descriptor > FILE) return BAD_DESCRIPTOR
    const type = descriptor === FOLDER ? DIRECTORY : descriptor === FILE ? REGULAR_FILE : CHARACTER_DEVICE
    const view = this.#createView()
    view.setUint8(result, type)
    view.setUint16(result + 2, 0, true)
    view.setBigUint64(result + 8, ALL_RIGHTS, true)
    view.setBigUint64(result + 16, ALL_RIGHTS, true)
    return SUCCESS
  }

  #openFile(result: number): number {
    this.#position = 0
    this.#createView().setUint32(result, FILE, true)
    return SUCCESS
  }

  #seek(
    descriptor: number,
    target: { readonly offset: number; readonly whence: number; readonly result: number },
  ): number {
    if (descriptor !== FILE) return NOT_SUPPORTED
    const basePosition =
      target.whence === FROM_CURRENT ? this.#position : target.whence === FROM_END ? this.#file.length : 0
    this.#position = Math.max(0, basePosition + target.offset)
    this.#createView().setBigUint64(target.result, BigInt(this.#position), true)
    return SUCCESS
  }

  #write(
    descriptor: number,
    source: { readonly vectors: number; readonly count: number; readonly written: number },
  ): number {
    const view = this.#createView()
    let total = 0
    for (let index = 0; index < source.count; index += 1) {
      const address = source.vectors + index * 8
      const length = view.getUint32(address + 4, true)
      const bytes = new Uint8Array(this.#memory.buffer, view.getUint32(address, true), length)
      if (descriptor === FILE) {
        this.#file.write(this.#position, bytes)
        this.#position += length
      } else if (descriptor === STDOUT) this.#stdout.write(this.#stdout.length, bytes)
      else if (descriptor !== STDERR) return BAD_DESCRIPTOR
      total += length
    }
    view.setUint32(source.written, total, true)
    return SUCCESS
  }
}
