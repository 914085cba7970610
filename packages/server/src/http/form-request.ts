import type { Operation } from '@parley/contract/operation'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { z } from 'zod'
import type { Upload } from '../kernel/api/implement.ts'
import { createFieldReader, type FormValues } from './form-fields.ts'
import type { UploadFolder, UploadSpace } from './upload-folder.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    acceptsForms?: boolean
  }
}

/** A form in the place of a JSON body. */
export interface ReceivedForm extends FormValues {
  readonly uploads: readonly Upload[]
  /** Equal for requests that say the same, files included. */
  readonly identity: unknown
  /** Removes the files: the handler has had them. */
  removeFiles(): Promise<void>
}

export interface FormRoute {
  readonly operation: Operation
  readonly uploads: UploadFolder
  /** Refuses a request by what is known before its body; called before that is read. */
  readonly admit: (request: FastifyRequest) => Promise<void>
  readonly serve: (request: FastifyRequest, reply: FastifyReply, form?: ReceivedForm) => Promise<FastifyReply>
}

const FORM_TYPE = /^multipart\/form-data\s*(?:;|$)/i

/** Mounts a route that takes forms as well: their bodies are left to it. In a scope, so that other routes do not. */
export function addFormRoute(fastify: FastifyInstance, route: RouteOptions): void {
  fastify.register((scope, _options, done) => {
    scope.addContentTypeParser(FORM_TYPE, (_request, _payload, parsed) => parsed(null))
    scope.route({ ...route, config: { acceptsForms: true } })
    done()
  })
}

/** Receives the form of a request, if it has one, and removes its files once the request has been served. */
export function withForms({ operation, uploads, admit, serve }: FormRoute) {
  const readFields = createFieldReader(operation.body ?? z.object({}))

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!FORM_TYPE.test(request.headers['content-type'] ?? '')) return await serve(request, reply)
    await admit(request)
    await using space = uploads.open(request.admitted?.base.credentialId ?? request.ip)
    const form = await receive(operation, request, space)
    const values = readFields(form.fields)
    const files = form.uploads.map(({ open: _open, ...described }) => described)
    const identity = [form.fields, files]
    return await serve(request, reply, { ...values, uploads: form.uploads, identity, removeFiles: space.remove })
  }
}

async function receive({ upload }: Operation, { headers, raw }: FastifyRequest, space: UploadSpace) {
  if (upload === undefined) throw new Error('The operation takes no uploads.')
  // Few requests bring files: what reads them is no part of a start.
  const { receiveForm } = await import('./receive-form.ts')
  const announced = headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? '0' : undefined)
  const source = {
    // A refusal is answered on the connection, which the default would close.
    chunks: raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    contentType: headers['content-type'] ?? '',
    sizeBytes: announced === undefined ? null : Number(announced),
  }
  try {
    return await receiveForm(source, upload, space)
  } finally {
    // What is left of a refused body is read and dropped, within the time of a request: a client that has not sent it yet hears
    // the answer only then.
    raw.resume()
  }
}
