import { after } from '../clock.ts'

/** Passes bytes on, and fails with `problem()` where none came for `limitMs`: a connection that is gone does not always say so. */
export function failWhenSilent(
  limitMs: number,
  problem: () => Error,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let stopWaiting = (): void => undefined
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    start: wait,
    transform(bytes, controller) {
      stopWaiting()
      controller.enqueue(bytes)
      wait(controller)
    },
    flush: () => stopWaiting(),
    cancel: () => stopWaiting(),
  })

  function wait(controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    stopWaiting = after(limitMs, () => controller.error(problem()))
  }
}
