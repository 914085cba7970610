import { findSecretNames, SECRET_PREFIX } from '@parley/contract/secret-reference'
import type { SecretReader } from '../../ports.ts'
import type { VariableLookup } from '../variables/variables.ts'

/** The parts of a tool or MCP server that can reference secrets. */
export interface RequestTemplates {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query_params?: Readonly<Record<string, string>> | undefined
}

export type BuiltRequest<Request> =
  | {
      readonly ok: true
      readonly request: Request
      /** Masks the request's secrets in a text. */
      readonly mask: (text: string) => string
    }
  /** `message` names the missing secret. */
  | { readonly ok: false; readonly message: string }

/** Builds a request with secrets. Only the templates themselves can reference secrets; variables cannot. */
export async function buildWithSecrets<Request>(
  { url, headers, query_params }: RequestTemplates,
  { lookup, secrets }: { readonly lookup: VariableLookup; readonly secrets: SecretReader },
  buildRequest: (lookup: VariableLookup) => Request,
): Promise<BuiltRequest<Request>> {
  const texts = [url, ...Object.values(headers ?? {}), ...Object.values(query_params ?? {})]
  const names = [...new Set(texts.flatMap(findSecretNames))]
  const values = names.length === 0 ? new Map<string, string>() : await secrets.read(names)
  const missingNames = new Set<string>()
  const request = buildRequest((name) => {
    if (!name.startsWith(SECRET_PREFIX)) return lookup(name)
    const secretName = name.slice(SECRET_PREFIX.length)
    const value = values.get(secretName)
    if (value === undefined) missingNames.add(secretName)
    return value
  })
  const [missingName] = missingNames
  if (missingName === undefined) return { ok: true, request, mask: createMask([...values.values()]) }
  // The name may contain the caller's text.
  const name = /^\w{1,64}$/.test(missingName) ? `"${missingName}" ` : ''
  return { ok: false, message: `No request was sent: the secret ${name}does not exist in this workspace.` }
}

const MASK = '***'

/** Creates a function that masks values in plain, URL-encoded and JSON-escaped form. */
function createMask(values: readonly string[]): (text: string) => string {
  const spellings = values
    .flatMap((value) => [value, encodeURIComponent(value.toWellFormed()), JSON.stringify(value).slice(1, -1)])
    .filter((spelling) => spelling !== '')
    .sort((left, right) => right.length - left.length)
  return (text) => spellings.reduce((maskedText, spelling) => maskedText.replaceAll(spelling, MASK), text)
}
