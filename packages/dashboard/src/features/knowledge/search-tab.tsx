import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { Passage } from '@parley/contract/knowledge-passage'
import { SearchX } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { NumberField, SliderField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { EmptyState, ProblemNote, Skeleton } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { isProcessing, toWebLink } from '../../parts/knowledge/source-info.ts'
import { highlightWords } from './highlight-words.ts'

const MAX_PASSAGES = 10

/** A test question with its search settings. */
export interface TestQuery {
  readonly query: string
  readonly topK: number
  readonly filterScore: number
}

/** The default settings of agents. */
export const DEFAULT_QUERY: TestQuery = { query: '', topK: 3, filterScore: 0 }

interface SearchTabProps {
  readonly base: KnowledgeBase
  readonly query: TestQuery
  readonly onChange: (query: TestQuery) => void
}

/** Displays what an agent would retrieve for a question. The page keeps the question while other tabs are open. */
export function SearchTab({ base, query, onChange }: SearchTabProps) {
  const t = useText()
  const { search, runSearch, canSearch } = useTestSearch(base, query)
  return (
    <div className="flex flex-col gap-5">
      <Panel
        title={t('Test search')}
        description={
          base.searchMode === 'hybrid'
            ? t('See which passages an agent would retrieve with keyword and semantic search.')
            : t('See which passages an agent would retrieve with keyword search.')
        }
      >
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            runSearch()
          }}
        >
          <QueryFields query={query} onChange={onChange} />
          <Button kind="primary" type="submit" className="w-fit" busy={search.isPending} disabled={!canSearch}>
            {t('Find passages')}
          </Button>
        </form>
      </Panel>
      {search.error && <ProblemNote problem={search.error} />}
      {search.isPending && <Skeleton lines={3} />}
      {search.data && !search.isPending && (
        <SearchResults passages={search.data.value} question={search.variables.body.query} base={base} />
      )}
    </div>
  )
}

function useTestSearch(base: KnowledgeBase, { query, topK, filterScore }: TestQuery) {
  const search = useWrite('searchKnowledgeBase')
  const canSearch = query.trim() !== ''
  const runSearch = (): void => {
    if (!canSearch || search.isPending) return
    search.mutate({ path: { knowledgeBaseId: base.knowledgeBaseId }, body: { query: query.trim(), topK, filterScore } })
  }
  useHotkeys({ 'mod+enter': runSearch })
  // Searches again after all sources are processed.
  const { mutate: searchAgain, variables: lastQuery } = search
  const isProcessingSources = isProcessing(base.status)
  const wasProcessing = useRef(isProcessingSources)
  useEffect(() => {
    const hasFinished = wasProcessing.current && !isProcessingSources
    wasProcessing.current = isProcessingSources
    if (hasFinished && lastQuery !== undefined) searchAgain(lastQuery)
  }, [isProcessingSources, lastQuery, searchAgain])
  return { search, runSearch, canSearch }
}

function QueryFields({ query, onChange }: Omit<SearchTabProps, 'base'>) {
  const t = useText()
  const format = useFormatter()
  return (
    <>
      <TextField
        label={t('Question')}
        autoComplete="off"
        value={query.query}
        onChange={(text) => onChange({ ...query, query: text })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t('Max passages')}
          help={t('1 to 10')}
          minimum={1}
          maximum={MAX_PASSAGES}
          value={query.topK}
          onChange={(count) =>
            onChange({ ...query, topK: Math.min(MAX_PASSAGES, Math.max(1, Math.round(count ?? 1))) })
          }
        />
        <SliderField
          label={t('Min score')}
          help={t('0 (any match) to 1')}
          minimum={0}
          maximum={1}
          step={0.05}
          format={(score) => format.number(score, 2)}
          value={query.filterScore}
          onChange={(score) => onChange({ ...query, filterScore: score })}
        />
      </div>
    </>
  )
}

function SearchResults({
  passages,
  question,
  base,
}: {
  readonly passages: readonly Passage[]
  readonly question: string
  readonly base: KnowledgeBase
}) {
  const t = useText()
  if (passages.length === 0) {
    return (
      <EmptyState icon={SearchX} title={t('No passages found')}>
        {isProcessing(base.status)
          ? t('Some sources are still being processed. The search runs again when they are ready.')
          : t('Try words from the documents, or lower the minimum score.')}
      </EmptyState>
    )
  }
  return (
    <section aria-label={t('Search results')} className="flex flex-col gap-3">
      <div role="status">
        <h2 className="font-semibold">
          {t('{count, plural, one {# passage} other {# passages}}', { count: passages.length })}
        </h2>
      </div>
      <ol className="flex flex-col gap-3">
        {passages.map((passage, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: passages have no ids.
          <li key={index}>
            <ResultPassage passage={passage} question={question} />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Renders a passage with its source and score. Highlights the words of the question. */
function ResultPassage({ passage, question }: { readonly passage: Passage; readonly question: string }) {
  const t = useText()
  const format = useFormatter()
  const { sourceName, url, page, headings, text, score, mode } = passage
  const link = toWebLink(url)
  const name = sourceName === '' ? t('Untitled') : sourceName
  const location = [...(page === null ? [] : [t('page {page}', { page })]), ...headings].join(' · ')
  return (
    <article className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-panel p-4">
      <div className="flex items-start gap-4">
        <div className="min-w-0 flex-1">
          <h3 className="font-medium" dir="auto">
            {link === null ? (
              name
            ) : (
              <a href={link} target="_blank" rel="noreferrer" className="hover:underline">
                {name}
              </a>
            )}
          </h3>
          {location !== '' && (
            <p className="text-muted" dir="auto">
              {location}
            </p>
          )}
        </div>
        <p className="shrink-0 text-end">
          <span className="block text-xs text-muted">
            {mode === 'hybrid' ? t('Score (hybrid)') : t('Score (keywords)')}
          </span>
          <span className="font-semibold tabular-nums">{format.number(score, 4)}</span>
        </p>
      </div>
      <HighlightedText text={text} question={question} />
    </article>
  )
}

function HighlightedText({ text, question }: { readonly text: string; readonly question: string }) {
  const parts = useMemo(() => highlightWords(text, question), [text, question])
  return (
    <p className="whitespace-pre-wrap" dir="auto">
      {parts.map((part, index) =>
        part.isHighlighted ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no ids.
          <mark key={index} className="rounded-sm bg-warn-soft px-0.5 text-warn">
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </p>
  )
}
