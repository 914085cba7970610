import fc from 'fast-check'
import type { RawRequest } from '../full/raw-request.ts'

/** Texts that databases compare, case-fold, sort or search differently. */
const UNUSUAL_TEXTS = [
  ...[
    'a',
    'A',
    'b',
    'B',
    'Z',
    'aa',
    'aB',
    'Ab',
    'a b',
    'a-b',
    'a_b',
    'axb',
    'a%b',
    '%',
    '_',
    '%%',
    '\\',
    'a\\b',
    'a\\_b',
  ],
  ...[
    'Ä',
    'ä',
    'A\u0308',
    'a\u0308',
    'ÄRGER',
    'Ärger',
    'ärger',
    'ß',
    'ẞ',
    'ss',
    'SS',
    'Straße',
    'STRASSE',
    'é',
    'É',
    'e\u0301',
  ],
  ...[
    'İ',
    'I',
    'ı',
    'i',
    'Σ',
    'σ',
    'ς',
    'Ж',
    'ж',
    'Æ',
    'æ',
    'ﬁ',
    'K',
    'Å',
    'ǆ',
    'ǅ',
    'Ꭰ',
    'ꭰ',
    '日本',
    '日本語',
    '😀',
    '😀😁',
    '👩‍👩‍👧',
  ],
  ...[
    '\u{10400}',
    '\u{10428}',
    '\u200b',
    'a\u200bb',
    '\ufeff',
    '\u202e',
    'a\tb',
    'a\nb',
    ' a',
    'a ',
    '  ',
    "'",
    "''",
    '"',
    '"a"',
  ],
  ...[
    'a*',
    'a OR b',
    'NOT a',
    'a:b',
    '(',
    ')',
    '[a]',
    '$1',
    '?',
    '?1',
    ':a',
    '@a',
    '--',
    ';',
    '/*',
    'null',
    'NULL',
    'true',
    '0',
    '00',
    '1e3',
  ],
]

const unusualText = fc.constantFrom(...UNUSUAL_TEXTS)

/** Texts that random IDs can contain. */
const HEX = /^[0-9a-f]+$/i
/** Search terms that cannot match a random ID. */
const unusualSearchTerm = fc.constantFrom(...UNUSUAL_TEXTS.filter((text) => !HEX.test(text)))

/** Small sets of values, so that requests often use equal or similar ones. */
const CONFLICTING_VALUES: Readonly<Record<string, readonly string[]>> = {
  slug: ['s-1', 's-2', 's-3', 's1', 'S-1', 's_1'],
  number: ['+15550199001', '+15550199002', '+1 555 0199001', '15550199001', '+1-555-0199-003', '+15550199004'],
  email: ['one@example.com', 'One@Example.com', 'two@example.com', 'ünique@example.com', 'ÜNIQUE@example.com'],
  domain: ['one.example.com', 'One.Example.com', 'two.example.com', 'two.example.com.'],
  test_case_definition_id: ['case-1', 'Case-1', 'case-2', 'case_1', 'CASE-2', 'case-ä'],
}

/** Fields that accept any text. */
const TEXT_FIELDS =
  /^(name|display_name|agent_name|nickname|description|general_prompt|begin_message|global_prompt|content|title|user_prompt|productName|text)$/

/** Variations that keep a request nearly valid. */
export const unusualVariations: fc.Arbitrary<(request: RawRequest) => RawRequest> = fc
  .record({
    word: unusualSearchTerm,
    texts: fc.array(unusualText, { minLength: 8, maxLength: 8 }),
    conflictIndex: fc.nat(5),
    replaces: fc.nat(2),
    ifMatch: fc.option(fc.constantFrom('"1"', '"2"', '"3"', '"4"', '*', 'W/"1"'), { freq: 4 }),
    limit: fc.option(fc.constantFrom('1', '2', '3', '7'), { freq: 2 }),
  })
  .map(({ word, texts, conflictIndex, replaces, ifMatch, limit }) => (request) => {
    const isChange = request.method === 'PATCH' || request.method === 'DELETE' || request.method === 'PUT'
    return {
      ...request,
      path: request.method === 'GET' ? withUnusualQuery(request.path, { text: word, limit }) : request.path,
      headers: { ...request.headers, ...(isChange && ifMatch !== null && { 'if-match': ifMatch }) },
      body: replaces === 0 || isForm(request) ? request.body : withUnusualTexts(request.body, texts, conflictIndex),
    }
  })

function isForm({ headers }: RawRequest): boolean {
  return String(headers['content-type']).startsWith('multipart/')
}

function withUnusualQuery(
  path: string,
  { text, limit }: { readonly text: string; readonly limit: string | null },
): string {
  const [before = '', query = ''] = path.split('?')
  const parameters = new URLSearchParams(query)
  if (parameters.has('search')) parameters.set('search', text)
  if (parameters.has('limit') && limit !== null) parameters.set('limit', limit)
  return parameters.size === 0 ? before : `${before}?${parameters}`
}

function withUnusualTexts(
  body: RawRequest['body'],
  texts: readonly string[],
  conflictIndex: number,
): RawRequest['body'] {
  if (typeof body !== 'string') return body
  let used = 0
  const replace = (key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    const conflicting = CONFLICTING_VALUES[key]
    if (conflicting !== undefined) return conflicting[conflictIndex % conflicting.length]
    used += 1
    return TEXT_FIELDS.test(key) ? (texts[used % texts.length] ?? value) : value
  }
  return JSON.stringify(JSON.parse(body), replace)
}

/** Paths that search chats and call history for an unusual text. */
export const searchPaths: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      unusualSearchTerm.map((text): [string, string] => ['/api/chats', text]),
      unusualText.map((text): [string, string] => ['/api/v1/calls/history', text]),
    ),
    fc.constantFrom('', '&limit=2', '&limit=1'),
  )
  .map(([[path, text], limit]) => `${path}?workspaceId=1&search=${encodeURIComponent(text)}${limit}`)

/** One call for each unusual text. */
export const UNUSUAL_CALLS = UNUSUAL_TEXTS.map((text, index) => ({
  call_id: `call_${'f'.repeat(22)}${String(index).padStart(4, '0')}`,
  created_at: 1_000_000 + index,
  agent_name: text,
  customer_name: UNUSUAL_TEXTS[(index * 7) % UNUSUAL_TEXTS.length] ?? '',
  summary: `${text}${UNUSUAL_TEXTS[(index * 11) % UNUSUAL_TEXTS.length]}`,
}))
