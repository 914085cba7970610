/** The part of the runtime's `WebAssembly` that is used here: the types of Node leave it to those of browsers. */

export interface WasmModule {
  readonly [Symbol.toStringTag]: string
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

type WasmImports = Readonly<Record<string, Readonly<Record<string, (...values: never[]) => number>>>>

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => WasmModule
  readonly Instance: new (module: WasmModule, imports: WasmImports) => WasmInstance
}

export const { Module: WasmModule, Instance: WasmInstance } = (
  globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }
).WebAssembly
