import { useWrite } from '../lib/api/hooks.ts'
import type { OperationName, RequestParams } from '../lib/api/request.ts'
import { notify, notifyError } from './toasts.tsx'

interface Action<Name extends OperationName> {
  readonly isRunning: boolean
  run(params: RequestParams<Name>, successMessage: string): void
}

/** Returns a function that calls an operation without a dialog and reports the result. */
export function useAction<Name extends OperationName>(name: Name, invalidates: readonly OperationName[]): Action<Name> {
  const write = useWrite(name, { invalidates })
  return {
    isRunning: write.isPending,
    run: (params, successMessage) =>
      write.mutate(params as never, {
        onSuccess: () => notify(successMessage),
        onError: ({ message }) => notifyError(message),
      }),
  }
}
