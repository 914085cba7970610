import { after } from '../clock.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** As the standard has it; the types of the browser lag behind. */
interface CancellableTransformer extends Transformer<Bytes, Bytes> {
  cancel(): void
}

/** Passes bytes on, and fails with `problem()` where none came for `limitMs`: a connection that is gone does not always say so. */
export function failWhenSilent(limitMs: number, problem: () => Error): TransformStream<Bytes, Bytes> {
  let stopWaiting = (): void => undefined
  const transformer: CancellableTransformer = {
    start: wait,
    transform(bytes, controller) {
      stopWaiting()
      controller.enqueue(bytes)
      wait(controller)
    },
    flush: () => stopWaiting(),
    cancel: () => stopWaiting(),
  }
  return new TransformStream(transformer)

  function wait(controller: TransformStreamDefaultController<Bytes>): void {
    stopWaiting = after(limitMs, () => controller.error(problem()))
  }
}
