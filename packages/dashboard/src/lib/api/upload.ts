import { operationTable } from '@parley/contract/operation-table'
import { setTimer } from '../clock.ts'
import { Problem, readProblem } from './problem.ts'
import {
  type AnyRequestParams,
  type ApiResponse,
  buildUrl,
  type OperationName,
  readJson,
  type ValueOf,
} from './request.ts'
import { waitForSignIn } from './sign-in-gate.ts'

export interface UploadParams extends Pick<AnyRequestParams, 'path'> {
  readonly fields: Readonly<Record<string, string>>
  readonly files: readonly File[]
}

export interface UploadOptions {
  readonly signal?: AbortSignal
  /** Called with the upload progress, from 0 to 1. */
  readonly onProgress?: (progress: number) => void
}

/** Maximum time without progress. A slow upload can take longer. */
const MAX_STALL_MS = 60_000

/** Uploads files. If the session has expired, waits until the user signs in again. Throws a `Problem` on failure. */
export async function upload<Name extends OperationName>(
  name: Name,
  params: UploadParams,
  options: UploadOptions = {},
): Promise<ApiResponse<ValueOf<Name>>> {
  for (;;) {
    const response = await sendOnce(name, params, options)
    if (response.ok) {
      return { value: (await readJson(response)) as ValueOf<Name>, etag: response.headers.get('etag'), next: null }
    }
    if (response.status !== 401) throw await readProblem(response)
    options.onProgress?.(0)
    await waitForSignIn(options.signal)
  }
}

/** Sends one upload with XMLHttpRequest, because `fetch` does not report upload progress. */
function sendOnce(name: OperationName, params: UploadParams, { signal, onProgress }: UploadOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const xhr = new XMLHttpRequest()
    const abort = (): void => xhr.abort()
    let stopTimer = (): void => undefined
    const restartTimer = (): void => {
      stopTimer()
      stopTimer = setTimer(MAX_STALL_MS, () => {
        reject(new Problem('The server did not respond in time.', { code: 'timeout' }))
        abort()
      })
    }
    xhr.upload.onprogress = ({ loaded, total }) => {
      restartTimer()
      onProgress?.(total === 0 ? 0 : loaded / total)
    }
    xhr.onload = () => resolve(toResponse(xhr))
    xhr.onerror = () => reject(new Problem('The server is unreachable.', { code: 'offline' }))
    xhr.onabort = () => reject(signal?.reason ?? new Problem('The server is unreachable.', { code: 'offline' }))
    xhr.onloadend = () => {
      stopTimer()
      signal?.removeEventListener('abort', abort)
    }
    signal?.addEventListener('abort', abort, { once: true })
    xhr.open(operationTable[name][0], buildUrl(name, { ...(params.path && { path: params.path }) }))
    xhr.setRequestHeader('accept', 'application/json')
    restartTimer()
    xhr.send(buildForm(params))
  })
}

function buildForm({ fields, files }: UploadParams): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  for (const file of files) form.append('files', file, file.name)
  return form
}

function toResponse(xhr: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const name of ['etag', 'x-request-id']) {
    const value = xhr.getResponseHeader(name)
    if (value !== null) headers.set(name, value)
  }
  return new Response(xhr.responseText, { status: xhr.status, headers })
}
