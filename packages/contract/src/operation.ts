import type { z } from 'zod'
import type { Access } from './access.ts'
import type { ErrorCode } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Where a caller names the workspace. `optional`: in the query, and without it all that the actor reaches; `inferred`: from
 * what the path names, by the handler; `none`: the operation is not about a workspace. The context header
 * `X-Workspace-Id` names it as well.
 */
export type WorkspaceSource = 'query' | 'body' | 'path' | 'optional' | 'inferred' | 'none'

/** Response headers beyond the common ones that an operation may answer with. */
export type ResponseFeature = 'paged' | 'etag' | 'event-stream'

/** What `multipart/form-data` may bring. */
export interface UploadLimits {
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxRequestBytes: number
}

/**
 * One HTTP operation: the single description that the server implements and every client calls. The server's routes, the
 * OpenAPI document and the access tests derive from it. Type parameters are the schemas of its parts; a part that an
 * operation does not have is absent (`undefined`), never an empty object.
 */
export interface Operation<
  Path extends z.ZodObject | undefined = z.ZodObject | undefined,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Result extends z.ZodType | undefined = z.ZodType | undefined,
> {
  /** Unique in camel case, verb first: the OpenAPI operationId and the name of the SDK's method. */
  readonly name: string
  readonly method: Method
  /** Canonical path with `{parameter}` placeholders; its alias under the other prefix is derived by `pathsOf`. */
  readonly path: `/api/${string}`
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly workspace: WorkspaceSource
  readonly pathParameters?: Path
  readonly query?: Query
  readonly body?: Body
  /** Largest accepted JSON body in bytes; 1 MiB when absent. */
  readonly bodyLimitBytes?: number
  /** The body may also come as `multipart/form-data`, with files beside the fields of the schema. */
  readonly upload?: UploadLimits
  readonly status: 200 | 201 | 204
  /** The answer is bytes of this media type, whole or in the range that was asked for; there is no `result` then. */
  readonly mediaType?: string
  /** Whoever has a link with a `signature` in its query needs no token: the handler checks it. */
  readonly signedLinks?: true
  readonly result?: Result
  /** Codes it can answer beside those that every operation of its access shares. */
  readonly errors?: readonly ErrorCode[]
  readonly features?: readonly ResponseFeature[]
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** What a handler receives: the three parts apart, so that a body can never override a path id. */
export type InputOf<Op extends Operation> =
  Op extends Operation<infer Path, infer Query, infer Body, infer _Result>
    ? { readonly path: OutputOf<Path>; readonly query: OutputOf<Query>; readonly body: OutputOf<Body> }
    : never

/** What a handler returns: the wire form of the result (what the schema accepts). */
export type ResultOf<Op extends Operation> =
  Op extends Operation<infer _Path, infer _Query, infer _Body, infer Result>
    ? Result extends z.ZodType
      ? z.input<Result>
      : undefined
    : never

type InputFieldsOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined

/** Queries are text: numbers and truth values are printed. */
type Printable<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | number | boolean }

/** What a client of an operation sends. */
export type RequestOf<Op extends Operation> =
  Op extends Operation<infer Path, infer Query, infer Body, infer _Result>
    ? {
        readonly path: Path extends z.ZodObject ? Printable<z.input<Path>> : undefined
        readonly query: Query extends z.ZodObject ? Printable<z.input<Query>> : undefined
        readonly body: InputFieldsOf<Body>
      }
    : never

/** What a client of an operation is answered. */
export type ResponseOf<Op extends Operation> =
  Op extends Operation<infer _Path, infer _Query, infer _Body, infer Result> ? OutputOf<Result> : never

/** Defines an operation; exists so that literals keep their types. */
export function defineOperation<
  const Path extends z.ZodObject | undefined = undefined,
  const Query extends z.ZodObject | undefined = undefined,
  const Body extends z.ZodType | undefined = undefined,
  const Result extends z.ZodType | undefined = undefined,
>(operation: Operation<Path, Query, Body, Result>): Operation<Path, Query, Body, Result> {
  return operation
}

/**
 * Whether a request may be repeated with an `Idempotency-Key`. Not where nobody is known yet, and not what a login does to
 * itself: nothing derived from a password is kept.
 */
export function takesIdempotencyKey({
  method,
  access,
  mediaType,
}: Pick<Operation, 'method' | 'access' | 'mediaType'>): boolean {
  return method === 'POST' && mediaType === undefined && access !== 'public' && access !== 'session'
}

/** The canonical path first, then the same route under the other prefix: everything answers under `/api` and `/api/v1`. */
export function pathsOf(operation: Pick<Operation, 'path'>): readonly [string, string] {
  const { path } = operation
  const alias = path.startsWith('/api/v1/') ? path.replace('/api/v1/', '/api/') : path.replace('/api/', '/api/v1/')
  return [path, alias]
}
