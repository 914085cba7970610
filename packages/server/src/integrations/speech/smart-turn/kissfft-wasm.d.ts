/** The functions of KISS FFT that are used. Pointers are addresses in the memory of the module, which the view shows. */
declare module '@echogarden/kissfft-wasm' {
  interface KissFft {
    readonly HEAPF32: Float32Array
    _malloc(bytes: number): number
    /** Plans transforms of `size` real values, an even number. Returns 0 if the memory is exhausted. */
    _kiss_fftr_alloc(size: number, isInverse: 0 | 1, memory: 0, length: 0): number
    /** Writes `size / 2 + 1` complex values: the real and imaginary part of each frequency. */
    _kiss_fftr(plan: number, input: number, output: number): void
  }
  const createKissFft: () => Promise<KissFft>
  export = createKissFft
}
