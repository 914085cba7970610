import type { z } from 'zod'
import type { Access } from './access.ts'
import type { ErrorCode } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type ApiPath = `/api/${string}`

/**
 * Where a request specifies the workspace. The context header `X-Workspace-Id` is also accepted. `optional`: in the query,
 * defaulting to all workspaces that the actor can access; `inferred`: from the resource in the path; `none`: the operation does
 * not concern a workspace.
 */
export type WorkspaceSource = 'query' | 'body' | 'path' | 'optional' | 'inferred' | 'none'

/** Features that add headers or formats to a response. */
export type ResponseFeature = 'paged' | 'etag' | 'event-stream'

/** Limits of `multipart/form-data`. */
export interface UploadLimits {
  readonly maxFiles: number
  readonly maxFileBytes: number
  readonly maxRequestBytes: number
}

/** An HTTP operation without the values that `defineOperation` derives from the method. */
interface OperationDefinition<
  Path extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends z.ZodType | undefined,
  Result extends z.ZodType | undefined,
> {
  /** Unique name in camel case, starting with a verb. It is also the OpenAPI `operationId`. */
  readonly name: string
  /** Method and canonical path, with `{parameter}` placeholders. */
  readonly route: `${Method} ${ApiPath}`
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  /** Source of the workspace. Defaults to the query for GET and DELETE, and to the body for all other methods. */
  readonly workspace?: WorkspaceSource
  readonly pathParameters?: Path
  readonly query?: Query
  readonly body?: Body
  /** Maximum size of the JSON body in bytes. Defaults to 1 MiB. */
  readonly bodyLimitBytes?: number
  /** Set if the body can also be sent as `multipart/form-data`, with files next to the schema's fields. */
  readonly upload?: UploadLimits
  /** Success status. Defaults to 204 for DELETE and to 200 for all other methods. */
  readonly status?: 200 | 201 | 204
  /** Media type of a binary response. Such a response supports ranges and has no `result`. */
  readonly mediaType?: string
  /** Set if requests with a `signature` in the query require no token. The handler verifies the signature. */
  readonly signedLinks?: true
  readonly result?: Result
  /** Error codes in addition to those derived from the access, method and path (see `listErrorCodes`). */
  readonly errors?: readonly ErrorCode[]
  readonly features?: readonly ResponseFeature[]
}

/**
 * An HTTP operation. The server's routes, the clients and the OpenAPI document derive from it. The type parameters are the
 * schemas of its parts, or `undefined` for missing parts.
 */
export interface Operation<
  Path extends z.ZodObject | undefined = z.ZodObject | undefined,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Result extends z.ZodType | undefined = z.ZodType | undefined,
> extends Omit<OperationDefinition<Path, Query, Body, Result>, 'route'> {
  readonly method: Method
  /** Canonical path. `listPaths` adds the alias under the other prefix. */
  readonly path: ApiPath
  readonly workspace: WorkspaceSource
  readonly status: 200 | 201 | 204
}

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** Handler input. Its parts are separate, so that a body cannot override an ID in the path. */
export type InputOf<Op extends Operation> =
  Op extends Operation<infer Path, infer Query, infer Body, infer _Result>
    ? { readonly path: OutputOf<Path>; readonly query: OutputOf<Query>; readonly body: OutputOf<Body> }
    : never

/** Handler result before the response schema is applied. */
export type ResultOf<Op extends Operation> =
  Op extends Operation<infer _Path, infer _Query, infer _Body, infer Result>
    ? Result extends z.ZodType
      ? z.input<Result>
      : undefined
    : never

type InputFieldsOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined

/** Query fields in a client request. Queries are text, so clients can pass numbers and booleans. */
type Printable<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | number | boolean }

/** Client request for an operation. */
export type RequestOf<Op extends Operation> =
  Op extends Operation<infer Path, infer Query, infer Body, infer _Result>
    ? {
        readonly path: Path extends z.ZodObject ? Printable<z.input<Path>> : undefined
        readonly query: Query extends z.ZodObject ? Printable<z.input<Query>> : undefined
        readonly body: InputFieldsOf<Body>
      }
    : never

/** Response that a client receives. */
export type ResponseOf<Op extends Operation> =
  Op extends Operation<infer _Path, infer _Query, infer _Body, infer Result> ? OutputOf<Result> : never

/** Defines an operation and fills in the values derived from its method. */
export function defineOperation<
  const Path extends z.ZodObject | undefined = undefined,
  const Query extends z.ZodObject | undefined = undefined,
  const Body extends z.ZodType | undefined = undefined,
  const Result extends z.ZodType | undefined = undefined,
>({ route, ...definition }: OperationDefinition<Path, Query, Body, Result>): Operation<Path, Query, Body, Result> {
  const [method, path] = route.split(' ') as [Method, ApiPath]
  return {
    method,
    path,
    workspace: method === 'GET' || method === 'DELETE' ? 'query' : 'body',
    status: method === 'DELETE' ? 204 : 200,
    ...definition,
  }
}

/**
 * Whether an operation accepts an `Idempotency-Key`. Public and session operations do not, because nothing derived from a
 * password is stored.
 */
export function takesIdempotencyKey({
  method,
  access,
  mediaType,
}: Pick<Operation, 'method' | 'access' | 'mediaType'>): boolean {
  return method === 'POST' && mediaType === undefined && access !== 'public' && access !== 'session'
}

/** Returns the canonical path and the same route under the other prefix. Every route exists under `/api` and `/api/v1`. */
export function listPaths(operation: Pick<Operation, 'path'>): readonly [string, string] {
  const { path } = operation
  const alias = path.startsWith('/api/v1/') ? path.replace('/api/v1/', '/api/') : path.replace('/api/', '/api/v1/')
  return [path, alias]
}
