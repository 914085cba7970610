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
  /** Content of the file, regardless of its name. */
  readonly file: Uint8Array
}

/** Thrown through the program's frames when the program exits. */
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
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = grown
    }
    this.#bytes.set(bytes, position)
    this.#length = Math.max(this.#length, end)
  }

  view(): Uint8Array {
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

  /** Instantiates the module, which can take milliseconds. */
  constructor(module: WasmModule) {
    this.#instance = new webAssembly.Instance(module, { wasi_snapshot_preview1: this.#imports() })
    this.#memory = this.#instance.exports.memory as WasmMemory
  }

  /** Runs to the end. Throws if the program crashes; ignores its exit status. */
  run(programArguments: readonly string[]): ProgramOutput {
    const encoder = new TextEncoder()
    this.#arguments = programArguments.map((argument) => encoder.encode(`${argument.replaceAll('\0', ' ')}\0`))
    try {
      const start = this.#instance.exports._start as () => void
      start()
    } catch (error) {
      if (!(error instanceof ProgramExit)) throw error
    }
    return { stdout: new TextDecoder().decode(this.#stdout.view()), file: this.#file.view() }
  }

  /** Returns a new view, because the memory may have grown. */
  #view(): DataView {
    return new DataView(this.#memory.buffer)
  }

  #imports(): Record<string, (...values: never[]) => number> {
    return {
      args_sizes_get: (count: number, size: number) => {
        const view = this.#view()
        view.setUint32(count, this.#arguments.length, true)
        view.setUint32(
          size,
          this.#arguments.reduce((sum, { length }) => sum + length, 0),
          true,
        )
        return SUCCESS
      },
      args_get: (pointers: number, bytes: number) => this.#giveArguments(pointers, bytes),
      clock_time_get: (_clock: number, _precision: bigint, time: number) => {
        this.#view().setBigUint64(time, 0n, true)
        return SUCCESS
      },
      fd_prestat_get: (descriptor: number, result: number) => {
        if (descriptor !== FOLDER) return BAD_DESCRIPTOR
        this.#view().setUint32(result, 0, true)
        this.#view().setUint32(result + 4, 1, true)
        return SUCCESS
      },
      fd_prestat_dir_name: (_descriptor: number, path: number) => {
        this.#view().setUint8(path, '/'.charCodeAt(0))
        return SUCCESS
      },
      fd_fdstat_get: (descriptor: number, result: number) => this.#describe(descriptor, result),
      fd_fdstat_set_flags: () => SUCCESS,
      path_open: (...values: number[]) => this.#open(values[8] ?? 0),
      fd_close: () => SUCCESS,
      fd_read: (_descriptor: number, _vectors: number, _count: number, read: number) => {
        this.#view().setUint32(read, 0, true)
        return SUCCESS
      },
      fd_seek: (descriptor: number, offset: bigint, from: number, result: number) =>
        this.#seek(descriptor, { offset: Number(offset), from, result }),
      fd_write: (descriptor: number, vectors: number, count: number, written: number) =>
        this.#write(descriptor, { vectors, count, written }),
      proc_exit: () => {
        throw new ProgramExit()
      },
    }
  }

  #giveArguments(pointers: number, bytes: number): number {
    const view = this.#view()
    const memory = new Uint8Array(this.#memory.buffer)
    let place = bytes
    for (const [index, argument] of this.#arguments.entries()) {
      view.setUint32(pointers + index * 4, place, true)
      memory.set(argument, place)
      place += argument.length
    }
    return SUCCESS
  }

  #describe(descriptor: number, result: number): number {
    if (descriptor > FILE) return BAD_DESCRIPTOR
    const type = descriptor === FOLDER ? DIRECTORY : descriptor === FILE ? REGULAR_FILE : CHARACTER_DEVICE
    const view = this.#view()
    view.setUint8(result, type)
    view.setUint16(result + 2, 0, true)
    view.setBigUint64(result + 8, ALL_RIGHTS, true)
    view.setBigUint64(result + 16, ALL_RIGHTS, true)
    return SUCCESS
  }

  #open(result: number): number {
    this.#position = 0
    this.#view().setUint32(result, FILE, true)
    return SUCCESS
  }

  #seek(descriptor: number, to: { readonly offset: number; readonly from: number; readonly result: number }): number {
    if (descriptor !== FILE) return NOT_SUPPORTED
    const base = to.from === FROM_CURRENT ? this.#position : to.from === FROM_END ? this.#file.length : 0
    this.#position = Math.max(0, base + to.offset)
    this.#view().setBigUint64(to.result, BigInt(this.#position), true)
    return SUCCESS
  }

  #write(
    descriptor: number,
    from: { readonly vectors: number; readonly count: number; readonly written: number },
  ): number {
    const view = this.#view()
    let total = 0
    for (let index = 0; index < from.count; index += 1) {
      const place = from.vectors + index * 8
      const length = view.getUint32(place + 4, true)
      const bytes = new Uint8Array(this.#memory.buffer, view.getUint32(place, true), length)
      if (descriptor === FILE) {
        this.#file.write(this.#position, bytes)
        this.#position += length
      } else if (descriptor === STDOUT) this.#stdout.write(this.#stdout.length, bytes)
      else if (descriptor !== STDERR) return BAD_DESCRIPTOR
      total += length
    }
    view.setUint32(from.written, total, true)
    return SUCCESS
  }
}
