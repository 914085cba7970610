/** A vector in a response. */
export interface EmbeddingElement {
  readonly object: 'embedding'
  readonly index: number
  readonly embedding: readonly number[] | string
}

/** Documented limits of the wire format. */
const MAX_TEXTS = 2048

export interface ReadEmbeddingRequest {
  readonly model: string
  readonly input: readonly string[]
  readonly encoding: 'float' | 'base64'
  readonly dimensions: number | null
}

/** Reads the body of a request. Returns a sentence if the body violates the wire format. */
export function readRequest(bodyText: string): ReadEmbeddingRequest | string {
  let body: Record<string, unknown>
  try {
    body = JSON.parse(bodyText)
  } catch {
    return 'The body is not JSON.'
  }
  const { model, input, encoding_format: encoding = 'float', dimensions = null } = body
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter'
  const texts = typeof input === 'string' ? [input] : input
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > MAX_TEXTS) return "'$.input' is invalid."
  if (texts.some((text) => typeof text !== 'string' || text === '')) return "'$.input' is invalid."
  if (encoding !== 'float' && encoding !== 'base64') return "'$.encoding_format' is invalid."
  if (dimensions !== null && typeof dimensions !== 'number') return "'$.dimensions' is invalid."
  return { model, input: texts, encoding, dimensions }
}

/** Renders the `data` of a response. */
export function renderElements(vectors: readonly Float32Array[], encoding: 'float' | 'base64'): EmbeddingElement[] {
  return vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: encoding === 'float' ? [...vector] : encodeBase64(vector),
  }))
}

function encodeBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT)
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * Float32Array.BYTES_PER_ELEMENT)
  return bytes.toString('base64')
}
