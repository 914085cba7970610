import { parseEquation } from '@parley/contract/flow-equation'
import { estimateWords, spokenLength } from '@parley/engine/audio/heard-words'
import { moodOf } from '@parley/engine/dialogue/analysis/judge-sentiment'
import { buildQuery } from '@parley/engine/dialogue/knowledge/build-query'
import { saysFailure } from '@parley/engine/dialogue/tools/tool-result'
import { parseJsonPath } from '@parley/engine/dialogue/variables/json-path'
import { renderTemplate } from '@parley/engine/dialogue/variables/variables'
import { chunkDocument } from '@parley/engine/knowledge/chunking/chunk-document'
import { tokenise } from '@parley/engine/knowledge/lexical/tokenise'
import { heardText, offsetOfWords } from '@parley/engine/voice/speaking/heard-text'
import { prepareSpeech } from '@parley/engine/voice/speaking/prepare-speech'
import { createClauseSplitter } from '@parley/engine/voice/speaking/split-clauses'
import { stripMarkup } from '@parley/engine/voice/speaking/strip-markup'
import { answerProgress, askedBy, endsAsQuestion } from '@parley/engine/voice/turn-machine/endpointing/expected-answer'
import { wordsOf } from '@parley/engine/voice/turn-machine/words/languages'
import { textBehindWords } from '@parley/engine/voice/turn-machine/words/spaced-words'
import { splitWords } from '@parley/engine/voice/turn-machine/words/split-words'
import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { readTranscript } from '../../packages/server/src/features/endings/calls/redact-transcript.ts'
import { createRedactor, knownFromWords } from '../../packages/server/src/features/endings/redaction/redactor.ts'
import { readParameters, safeFilename } from '../../packages/server/src/http/part-headers.ts'
import { cleanLine, cleanLines } from '../../packages/server/src/providers/documents/clean-text.ts'
import { readEmail } from '../../packages/server/src/providers/documents/formats/read-email.ts'
import { DOCUMENT_LIMITS } from '../../packages/server/src/providers/documents/document-limits.ts'
import { findDelimiter, readDelimited } from '../../packages/server/src/providers/documents/formats/read-delimited.ts'
import { readHtml } from '../../packages/server/src/providers/documents/formats/read-html.ts'
import { readJson } from '../../packages/server/src/providers/documents/formats/read-json.ts'
import { readMarkdown } from '../../packages/server/src/providers/documents/formats/read-markdown.ts'
import { readPlainText } from '../../packages/server/src/providers/documents/formats/read-plain-text.ts'
import { scanXml } from '../../packages/server/src/providers/documents/formats/scan-xml.ts'
import { joinLines } from '../../packages/server/src/providers/documents/pdf/join-lines.ts'
import { recogniseText } from '../../packages/server/src/providers/documents/recognise-text.ts'
import { sanitiseProviderText } from '../../packages/server/src/providers/models/provider-text.ts'
import { createSseStream } from '../../packages/server/src/providers/models/sse-stream.ts'
import { partsOf, tokensOf } from '../../packages/server/src/providers/speech/flite/flite-text.ts'
import { responseText } from '../../packages/server/src/providers/tools/response-text.ts'
import { parseRobots } from '../../packages/server/src/providers/web-pages/robots-rules.ts'
import { scanSitemap } from '../../packages/server/src/providers/web-pages/scan-sitemap.ts'

const ENGLISH = wordsOf('en-US')
const SPEECH = { language: 'en-US', normalise: true, pronunciations: [] }
const redactor = createRedactor(PII_CATEGORIES, [{ category: 'person_name', value: 'Ana Petrov' }])

/** The functions that read whole texts on the thread that serves requests. */
export const MAIN_THREAD: Readonly<Record<string, (text: string) => unknown>> = {
  parseEquation,
  renderTemplate: (text) => renderTemplate(text, () => 'value'),
  parseJsonPath: (text) => parseJsonPath(`$${text}`),
  saysFailure,
  moodOf,
  buildQuery: (text) => buildQuery([{ role: 'user', content: text }]),
  tokenise,
  splitClauses: (text) => {
    const splitter = createClauseSplitter({ language: 'en-US' })
    return [splitter.push(text), splitter.end()]
  },
  splitClausesInDeltas: (text) => {
    const splitter = createClauseSplitter({ language: 'en-US' })
    for (let at = 0; at < text.length; at += 64) splitter.push(text.slice(at, at + 64))
    return splitter.end()
  },
  prepareSpeech: (text) => prepareSpeech(text, SPEECH),
  heardText: (text) => heardText(text, { text, spans: [] }, text.length / 2),
  offsetOfWords: (text) => offsetOfWords(text, text.split(' ')),
  stripMarkup,
  estimateWords: (text) => estimateWords(text, { fromMs: 0, toMs: 5_000, isComplete: true, silences: [{ fromMs: 100, toMs: 400 }, { fromMs: 900, toMs: 1_200 }], characterMs: 60, shape: null }),
  spokenLength,
  splitWords,
  textBehindWords: (text) => textBehindWords(text, 10_000),
  endsAsQuestion,
  askedBy: (text) => askedBy(text, ENGLISH),
  emailProgress: (text) => answerProgress(text, 'email', ENGLISH),
  readTranscript: (text) => readTranscript(text),
  readParameters,
  safeFilename,
  sanitiseProviderText: (text) => sanitiseProviderText(text, undefined),
  sse: (text) => createSseStream(() => {}).push(Buffer.from(text)),
  sseData: (text) => createSseStream(() => {}).push(Buffer.from(`data: ${text}\n\n`)),
  fliteTokens: tokensOf,
  fliteParts: (text) => partsOf(text),
  responseText: (text) => responseText(Buffer.from(text), 'text/html'),
  parseRobots: (text) => parseRobots(text, 'parley'),
}

/** The functions that read whole texts in processes and threads of their own. */
export const OTHER_THREADS: Readonly<Record<string, (text: string) => unknown>> = {
  redact: (text) => redactor.text(text),
  redactJson: (text) => redactor.json(JSON.stringify({ note: text })),
  redactAnswer: (text) => redactor.text(text, { asked: 'What is your name, address, password, phone and e-mail?' }),
  knownFromWords: (text) => knownFromWords(text, 'What is your name and account number?'),
  cleanLine,
  cleanLines,
  recogniseText: (text) => recogniseText(text, { filename: 'a.txt', contentType: null }),
  findDelimiter: (text) => findDelimiter(text, 'lenient'),
  readDelimited: (text) => readDelimited(text, DOCUMENT_LIMITS),
  readHtml: (text) => readHtml(`<p>${text}</p>`, null),
  readJson: (text) => readJson(JSON.stringify([text]), DOCUMENT_LIMITS),
  readMarkdown,
  readPlainText,
  readEmail: (text) => readEmail(Buffer.from(`From: a@b.c\nSubject: ${text}\n\n${text}`), { limits: DOCUMENT_LIMITS, depth: 0, readAttachment: () => Promise.reject(new Error('none')) }),
  scanXml: (text) => scanXml(`<a ${text}>${text}</a>`, { open: (_name, attribute) => void attribute('b') }),
  joinLines: (text) => joinLines(text.match(/.{1,80}/gs) ?? [], new Set()),
  scanSitemap: (text) => scanSitemap(`<urlset>${text}</urlset>`, 1_000),
  chunkParagraph: (text) => chunkDocument(documentOf(text), { maxSize: 1_000, minSize: 200 } as never),
}

function documentOf(text: string) {
  return { title: null, pageCount: null, links: [], blocks: [{ kind: 'paragraph', text, page: null }] } as never
}
