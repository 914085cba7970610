import { useWrite } from '../lib/api/hooks.ts'
import type { OperationName, RequestParts } from '../lib/api/request.ts'
import { notify, notifyError } from './toasts.tsx'

interface Action<Name extends OperationName> {
  readonly isRunning: boolean
  run(parts: RequestParts<Name>, success: string): void
}

/** Returns a function that calls an operation without a dialog and reports the result. */
export function useAction<Name extends OperationName>(name: Name, invalidates: readonly OperationName[]): Action<Name> {
  const write = useWrite(name, { invalidates })
  return {
    isRunning: write.isPending,
    run: (parts, success) =>
      write.mutate(parts as never, {
        onSuccess: () => notify(success),
        onError: ({ message }) => notifyError(message),
      }),
  }
}
