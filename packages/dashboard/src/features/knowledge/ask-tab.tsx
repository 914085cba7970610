import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { Passage } from '@parley/contract/knowledge-passage'
import { SearchX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { NumberField, SliderField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, ProblemNote, Skeleton } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { FoundPassage } from './found-passage.tsx'
import { isWorking } from './source-facts.ts'

const MOST_PASSAGES = 10

/** A question with what shall be found for it. */
export interface Asking {
  readonly query: string
  readonly topK: number
  readonly filterScore: number
}

/** As agents ask where nothing else is set. */
export const FIRST_ASKING: Asking = { query: '', topK: 3, filterScore: 0 }

interface AskTabProps {
  readonly base: KnowledgeBase
  readonly asking: Asking
  readonly onChange: (asking: Asking) => void
}

/** Shows what an agent would be given for a question. What was asked belongs to the page, so that it outlives a look at another part. */
export function AskTab({ base, asking, onChange }: AskTabProps) {
  const t = useText()
  const { search, ask, canAsk } = useSearch(base, asking)
  return (
    <div className="flex flex-col gap-5">
      <Panel
        title={t('Ask it')}
        description={
          base.searchMode === 'hybrid'
            ? t(
                'Shows the passages that an agent would be given for a question, found by their words and by their meaning.',
              )
            : t('Shows the passages that an agent would be given for a question, found by their words.')
        }
      >
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            ask()
          }}
        >
          <AskingFields asking={asking} onChange={onChange} />
          <Button kind="primary" type="submit" className="w-fit" busy={search.isPending} disabled={!canAsk}>
            {t('Ask')}
          </Button>
        </form>
      </Panel>
      {search.error && <ProblemNote problem={search.error} />}
      {search.isPending && <Skeleton lines={3} />}
      {search.data && !search.isPending && (
        <Found passages={search.data.value} question={search.variables.body.query} base={base} />
      )}
    </div>
  )
}

function useSearch(base: KnowledgeBase, { query, topK, filterScore }: Asking) {
  const search = useWrite('searchKnowledgeBase')
  const canAsk = query.trim() !== ''
  const ask = (): void => {
    if (!canAsk || search.isPending) return
    search.mutate({ path: { knowledgeBaseId: base.knowledgeBaseId }, body: { query: query.trim(), topK, filterScore } })
  }
  useHotkeys({ 'mod+enter': ask })
  // What was asked while some sources were still being read is asked of all of them.
  const { mutate: askAgain, variables: asked } = search
  const isReading = isWorking(base.status)
  const wasReading = useRef(isReading)
  useEffect(() => {
    const isThrough = wasReading.current && !isReading
    wasReading.current = isReading
    if (isThrough && asked !== undefined) askAgain(asked)
  }, [isReading, asked, askAgain])
  return { search, ask, canAsk }
}

function AskingFields({ asking, onChange }: Omit<AskTabProps, 'base'>) {
  const t = useText()
  const formats = useFormats()
  return (
    <>
      <TextField
        label={t('Question')}
        autoComplete="off"
        value={asking.query}
        onChange={(text) => onChange({ ...asking, query: text })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t('Passages at most')}
          help={t('From 1 to 10.')}
          minimum={1}
          maximum={MOST_PASSAGES}
          value={asking.topK}
          onChange={(count) =>
            onChange({ ...asking, topK: Math.min(MOST_PASSAGES, Math.max(1, Math.round(count ?? 1))) })
          }
        />
        <SliderField
          label={t('Score at least')}
          help={t('From 0, everything that fits at all, to 1.')}
          minimum={0}
          maximum={1}
          step={0.05}
          print={(score) => formats.number(score, 2)}
          value={asking.filterScore}
          onChange={(score) => onChange({ ...asking, filterScore: score })}
        />
      </div>
    </>
  )
}

function Found({
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
      <Empty icon={SearchX} title={t('Nothing found')}>
        {isWorking(base.status)
          ? t('No passage fits the question yet. Some sources are still being read; it is asked again when they are.')
          : t('No passage fits the question. Ask in words that the documents use, or lower the score.')}
      </Empty>
    )
  }
  return (
    <section aria-label={t('Found passages')} className="flex flex-col gap-3">
      <div role="status">
        <h2 className="font-semibold">
          {t('{count, plural, one {# passage found} other {# passages found}}', { count: passages.length })}
        </h2>
      </div>
      <ol className="flex flex-col gap-3">
        {passages.map((passage, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: passages have no ids; the list is new for every question.
          <li key={at}>
            <FoundPassage passage={passage} question={question} />
          </li>
        ))}
      </ol>
    </section>
  )
}
