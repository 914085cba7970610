import type { Passage } from '@parley/contract/knowledge-passage'
import { useMemo } from 'react'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { markWords } from './mark-words.ts'
import { webAddress } from './source-facts.ts'

/** A passage that was found: where it stands, how well it fits, and its text with the words of the question marked. */
export function FoundPassage({ passage, question }: { readonly passage: Passage; readonly question: string }) {
  const t = useText()
  const formats = useFormats()
  const { sourceName, url, page, headings, text, score, mode } = passage
  const address = webAddress(url)
  const name = sourceName === '' ? t('Without a name') : sourceName
  const place = [...(page === null ? [] : [t('page {page}', { page })]), ...headings].join(' · ')
  return (
    <article className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-panel p-4">
      <div className="flex items-start gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="font-medium" dir="auto">
            {address === null ? (
              name
            ) : (
              <a href={address} target="_blank" rel="noreferrer" className="hover:underline">
                {name}
              </a>
            )}
          </h3>
          {place !== '' && (
            <p className="text-muted" dir="auto">
              {place}
            </p>
          )}
        </div>
        <p className="shrink-0 text-end">
          <span className="block text-xs text-muted">
            {mode === 'hybrid' ? t('Score, words and meaning') : t('Score, words')}
          </span>
          <span className="font-semibold tabular-nums">{formats.number(score, 4)}</span>
        </p>
      </div>
      <MarkedText text={text} question={question} />
    </article>
  )
}

function MarkedText({ text, question }: { readonly text: string; readonly question: string }) {
  const pieces = useMemo(() => markWords(text, question), [text, question])
  return (
    <p className="whitespace-pre-wrap" dir="auto">
      {pieces.map((piece, at) =>
        piece.isMarked ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no identity.
          <mark key={at} className="rounded-sm bg-warn-soft px-0.5 text-warn">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </p>
  )
}
