import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The environment of a thread or process of ours: nothing but where the compile cache of this process is, which it finds only
 * there. It shortens the start.
 */
export function compileCacheEnvironment(): NodeJS.ProcessEnv {
  const versionFolder = getCompileCacheDir()
  return versionFolder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(versionFolder) }
}

/** The part of the runtime's `WebAssembly` that is used here: the types of Node leave it to those of browsers. */

export interface WasmModule {
  readonly [Symbol.toStringTag]: string
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

type WasmImports = Readonly<Record<string, Readonly<Record<string, (...values: never[]) => number>>>>

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => WasmModule
  readonly Instance: new (module: WasmModule, imports: WasmImports) => WasmInstance
  /** Sizes in pages of 64 KiB. */
  readonly Memory: new (pages: {
    readonly initial: number
    readonly maximum: number
  }) => WasmMemory
  compile(bytes: Uint8Array): Promise<WasmModule>
  instantiate(bytes: Uint8Array, imports: WasmImports): Promise<{ readonly instance: WasmInstance }>
}

export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly
