import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { parseEquation } from '@parley/contract/flow-equation'
import { computeSpokenLength, estimateWords } from '@parley/engine/audio/word-timing'
import { scoreSentiment } from '@parley/engine/dialogue/analysis/detect-sentiment'
import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import { isFailureContent } from '@parley/engine/dialogue/tools/tool-result'
import { parseJsonPath } from '@parley/engine/dialogue/variables/json-path'
import { renderTemplate } from '@parley/engine/dialogue/variables/variables'
import { findOffsetAfterWords, getHeardText } from '@parley/engine/voice/speaking/heard-text'
import { prepareSpeech } from '@parley/engine/voice/speaking/prepare-speech'
import { createClauseSplitter } from '@parley/engine/voice/speaking/split-clauses'
import { stripMarkup } from '@parley/engine/voice/speaking/strip-markup'
import {
  detectExpectedAnswer,
  endsWithQuestionMark,
  getAnswerProgress,
} from '@parley/engine/voice/turn-machine/endpointing/expected-answer'
import { getWordList } from '@parley/engine/voice/turn-machine/words/languages'
import { getTextAfterWords, splitWords } from '@parley/engine/voice/turn-machine/words/split-words'
import { chunkDocument } from '@parley/retrieval/chunking/chunk-document'
import { tokenize } from '@parley/retrieval/lexical/tokenize'
import type { ReadDocument } from '@parley/retrieval/read-document'
import { parseTranscript } from '../../packages/server/src/features/post-processing/calls/redact-call.ts'
import {
  collectKnownFromText,
  createRedactor,
} from '../../packages/server/src/features/post-processing/redaction/redactor.ts'
import { readParameters } from '../../packages/server/src/http/multipart-reader.ts'
import { cleanLine, cleanLines } from '../../packages/server/src/integrations/documents/clean-document.ts'
import { detectTextFormat } from '../../packages/server/src/integrations/documents/detect-text-format.ts'
import { DOCUMENT_LIMITS } from '../../packages/server/src/integrations/documents/document-limits.ts'
import {
  findDelimiter,
  readDelimited,
} from '../../packages/server/src/integrations/documents/formats/read-delimited.ts'
import { readJson } from '../../packages/server/src/integrations/documents/formats/read-json.ts'
import { readPlainText } from '../../packages/server/src/integrations/documents/formats/read-plain-text.ts'
import { scanXml } from '../../packages/server/src/integrations/documents/formats/scan-xml.ts'
import { joinLines } from '../../packages/server/src/integrations/documents/pdf/pdf-paragraphs.ts'
import { createSseStream } from '../../packages/server/src/integrations/models/sse-stream.ts'
import { sanitizeVendorText } from '../../packages/server/src/integrations/models/wire-failure.ts'
import { splitParts, splitTokens } from '../../packages/server/src/integrations/speech/flite/flite-text.ts'
import { formatResponseText } from '../../packages/server/src/integrations/tools/response-text.ts'
import { scanSitemap } from '../../packages/server/src/integrations/web-pages/read-sitemap.ts'
import { parseRobots } from '../../packages/server/src/integrations/web-pages/robots-rules.ts'
import { sanitizeFilename } from '../../packages/server/src/kernel/api/safe-filename.ts'
import { FILLERS } from './attack-texts.ts'

export type TextFunction = (text: string) => unknown

const ENGLISH = getWordList('en-US')
const SPEECH = { language: 'en-US', normalize: true, pronunciations: [] }
const redactor = createRedactor(PII_CATEGORIES, [{ category: 'person_name', value: 'Ana Petrov' }])

/** Functions that read whole texts on the thread that serves requests. */
export const TEXT_READERS: Readonly<Record<string, TextFunction>> = {
  parseEquation,
  renderTemplate: (text) => renderTemplate(text, () => 'value'),
  parseJsonPath: (text) => parseJsonPath(`$${text}`),
  isFailureContent,
  scoreSentiment,
  buildQuery: (text) => buildQuery([{ role: 'user', content: text }]),
  tokenize,
  splitClauses: (text) => {
    const splitter = createClauseSplitter({ language: 'en-US' })
    return [splitter.push(text), splitter.end()]
  },
  splitClausesInDeltas: (text) => {
    const splitter = createClauseSplitter({ language: 'en-US' })
    for (let start = 0; start < text.length; start += 64) splitter.push(text.slice(start, start + 64))
    return splitter.end()
  },
  heardText: (text) => getHeardText(text, { text, spans: [] }, text.length / 2),
  offsetOfWords: (text) => findOffsetAfterWords(text, text.split(' ')),
  stripMarkup,
  splitWords,
  textAfterWords: (text) => getTextAfterWords(text, 10_000),
  endsAsQuestion: endsWithQuestionMark,
  expectedAnswerTo: (text) => detectExpectedAnswer(text, ENGLISH),
  emailProgress: (text) => getAnswerProgress(text, 'email', ENGLISH),
  readTranscript: (text) => parseTranscript(text),
  readParameters,
  safeFilename: sanitizeFilename,
  sanitizeVendorText: (text) => sanitizeVendorText(text, undefined),
  sse: (text) => createSseStream(() => {}).push(Buffer.from(text)),
  sseData: (text) => createSseStream(() => {}).push(Buffer.from(`data: ${text}\n\n`)),
  fliteTokens: splitTokens,
  fliteParts: (text) => splitParts(text),
  responseText: (text) => formatResponseText(Buffer.from(text), 'text/html'),
  parseRobots: (text) => parseRobots(text, 'parley'),
}

const SILENCE_FRAMES = [
  { fromMs: 100, toMs: 400 },
  { fromMs: 900, toMs: 1_200 },
]
const SPEECH_FRAMES = {
  fromMs: 0,
  toMs: 5_000,
  isComplete: true,
  silences: SILENCE_FRAMES,
  characterMs: 60,
  envelope: null,
}

/** Functions that read a clause at a time. */
export const CLAUSE_READERS: Readonly<Record<string, TextFunction>> = {
  prepareSpeech: (text) => prepareSpeech(text, SPEECH),
  estimateWords: (text) => estimateWords(text, SPEECH_FRAMES),
  spokenLength: computeSpokenLength,
}

/** Functions that read whole texts in separate processes and threads. */
export const THREADED_READERS: Readonly<Record<string, TextFunction>> = {
  redact: (text) => redactor.redactText(text),
  redactJson: (text) => redactor.redactJson(JSON.stringify({ note: text })),
  redactAnswer: (text) =>
    redactor.redactText(text, { question: 'What is your name, address, password, phone and e-mail?' }),
  collectKnownFromWords: (text) => collectKnownFromText(text, 'What is your name and account number?'),
  cleanLine,
  cleanLines,
  detectTextFormat: (text) => detectTextFormat(text, { filename: 'a.txt', contentType: null }),
  findDelimiter: (text) => findDelimiter(text, 'lenient'),
  readDelimited: (text) => readDelimited(text, DOCUMENT_LIMITS),
  readJson: (text) => readJson(JSON.stringify([text]), DOCUMENT_LIMITS),
  readPlainText,
  scanXml: (text) => scanXml(`<a ${text}>${text}</a>`, { onOpen: (_name, attribute) => void attribute('b') }),
  joinLines: (text) => joinLines(text.match(/.{1,80}/gs) ?? [], new Set()),
  scanSitemap: (text) => scanSitemap(`<urlset>${text}</urlset>`, 1_000),
  chunkParagraph: (text) => chunkDocument(createDocument(text), { maxChunkSize: 1_000, minChunkSize: 200 }),
}

function createDocument(text: string): ReadDocument {
  return { title: null, pageCount: null, links: [], blocks: [{ kind: 'paragraph', text, page: null }] }
}

/** Texts that consist of repeated phrases instead of one repeated character. */
const PHRASES =
  '{{a}} {{ }} {"a": [[ ab@c.de 1,234.5 12/11/2024 http://a.b/c <p> <a_href="x"> |_a_ && a_==_b_&&_ my_name_is_Ana_ four_one_two_ 3:30_pm_ \\ **a**_ [a](b) $[ e.g._ <![CDATA[ data:_a\n ```\n Agent:_a\n "a",'
    .split(' ')
    .map((phrase) => phrase.replaceAll('_', ' '))

export const UNITS: readonly string[] = [...FILLERS, ...PHRASES]
