/** Encodings in which files are kept, best first. */
const ENCODINGS = ['br', 'gzip'] as const

/** How the bytes of an answer are encoded. */
export type Encoding = (typeof ENCODINGS)[number]

/** Whether a request wants a page, as browsers do that go to an address: programs that take anything want the API. */
export function acceptsHtml(accept: string | undefined): boolean {
  return (readWeights(accept).get('text/html') ?? 0) > 0
}

/** The encoding that the client likes best among those there are; null for none. */
export function chooseEncoding(
  acceptEncoding: string | undefined,
  available: Pick<ReadonlySet<Encoding>, 'has'>,
): Encoding | null {
  const weights = readWeights(acceptEncoding)
  const weightOf = (encoding: string): number => weights.get(encoding) ?? weights.get('*') ?? 0
  let best: Encoding | null = null
  // What is not encoded is always acceptable, but only preferred when somebody says so.
  let bestWeight = weights.get('identity') ?? 0
  for (const encoding of ENCODINGS) {
    const weight = weightOf(encoding)
    const isBetter = best === null ? weight >= bestWeight : weight > bestWeight
    if (!available.has(encoding) || weight === 0 || !isBetter) continue
    best = encoding
    bestWeight = weight
  }
  return best
}

/** The parts of a header such as `Accept` in small letters, with their `q`, which is 1 where none is given. */
function readWeights(header = ''): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
      const given = parameters.find((each) => each.startsWith('q='))
      const weight = given === undefined ? 1 : Number(given.slice(2))
      return [name, Number.isFinite(weight) ? weight : 0]
    }),
  )
}
