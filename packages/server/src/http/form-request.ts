import type { Operation } from '@parley/contract/operation'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { z } from 'zod'
import type { Upload } from '../kernel/api/implement.ts'
import { createFormParser, type FormValues } from './form-fields.ts'
import type { UploadFolder, UploadSpace } from './upload-folder.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    acceptsForms?: boolean
  }
}

/** A form received instead of a JSON body. */
export interface ReceivedForm extends FormValues {
  readonly uploads: readonly Upload[]
  /** Value that is equal for identical requests, including their files. */
  readonly identity: unknown
  /** Removes the files after the handler has finished. */
  removeFiles(): Promise<void>
}

export interface FormRoute {
  readonly operation: Operation
  readonly uploads: UploadFolder
  /** Checks a request before reading its body. */
  readonly admit: (request: FastifyRequest) => Promise<void>
  readonly serve: (request: FastifyRequest, reply: FastifyReply, form?: ReceivedForm) => Promise<FastifyReply>
}

const FORM_TYPE = /^multipart\/form-data\s*(?:;|$)/i

/** Adds a route that accepts forms. A separate scope keeps other routes from accepting forms. */
export function addFormRoute(fastify: FastifyInstance, route: RouteOptions): void {
  fastify.register((scope, _options, done) => {
    scope.addContentTypeParser(FORM_TYPE, (_request, _payload, callback) => callback(null))
    scope.route({ ...route, config: { acceptsForms: true } })
    done()
  })
}

/** Returns a handler that receives the form of a request and removes its files after the response. */
export function createFormHandler({ operation, uploads, admit, serve }: FormRoute) {
  const parseFields = createFormParser(operation.body ?? z.object({}))

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!FORM_TYPE.test(request.headers['content-type'] ?? '')) return await serve(request, reply)
    await admit(request)
    await using uploadSpace = uploads.open(request.admission?.credentialActor.credentialId ?? request.ip)
    const form = await receiveRequestForm(operation, request, uploadSpace)
    const values = parseFields(form.fields)
    const files = form.uploads.map(({ open: _open, ...metadata }) => metadata)
    const identity = [form.fields, files]
    return await serve(request, reply, { ...values, uploads: form.uploads, identity, removeFiles: uploadSpace.remove })
  }
}

async function receiveRequestForm({ upload }: Operation, { headers, raw }: FastifyRequest, uploadSpace: UploadSpace) {
  if (upload === undefined) throw new Error('The operation does not accept uploads.')
  // Loaded lazily, because few requests upload files.
  const { receiveForm } = await import('./receive-form.ts')
  const contentLength = headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? '0' : undefined)
  const source = {
    // The response needs the connection, which the iterator would close by default.
    chunks: raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    contentType: headers['content-type'] ?? '',
    sizeBytes: contentLength === undefined ? null : Number(contentLength),
  }
  try {
    return await receiveForm(source, upload, uploadSpace)
  } finally {
    // Drains the remaining body, because some clients read the response only after sending the whole body.
    raw.resume()
  }
}
