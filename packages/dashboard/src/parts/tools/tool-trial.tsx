import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { ToolTestResult } from '@parley/contract/tool-test'
import type { Tool } from '@parley/contract/tools'
import { Play } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { Facts } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { problemOfObject, readObject, useProblemWords } from './json-text.ts'
import { ObjectField } from './object-field.tsx'
import { isComplete, type ToolDraft } from './tool-draft.ts'
import { beginTrial, type TrialInput } from './trial-request.ts'

export interface ToolTrialProps {
  readonly draft: ToolDraft
  /** What was typed for it; null: a sample. */
  readonly input: TrialInput | null
  readonly onInput: (input: TrialInput) => void
  readonly mcps: readonly McpServerSetting[]
  readonly variables: Readonly<Record<string, string>>
  /** LLM configuration whose stored secrets the tool has. */
  readonly secretsFrom: string | undefined
}

/** Runs the tool as it is edited, once and for real, and shows what came of it. */
export function ToolTrial({ draft, input: typed, onInput, mcps, variables: known, secretsFrom }: ToolTrialProps) {
  const t = useText()
  const words = useProblemWords()
  const input = typed ?? beginTrial(draft.fields, known)
  const trial = useWrite('testTool')
  const problem = problemOfObject(input.argumentsText)
  const canRun = problem === null && isComplete(draft) && !trial.isPending
  const run = (): void => {
    if (!canRun) return
    trial.mutate({ body: trialBody(draft, input, { mcps, secretsFrom }) })
  }
  useHotkeys({ 'mod+enter': run })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only takes the key before the page behind sees it.
    <div
      className="flex flex-col gap-4"
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key !== 'Enter') return
        event.preventDefault()
        run()
      }}
    >
      <p className="text-muted">
        {t('The tool runs once, as an agent would run it: a request is really sent. Text messages are not.')}
      </p>
      {draft.fields.type !== 'code' && (
        <CodeField
          label={t('Arguments')}
          help={t('As a model would give them; made of the schema to begin with.')}
          language="json"
          minimumHeight="7rem"
          value={input.argumentsText}
          onChange={(text) => onInput({ ...input, argumentsText: text })}
          {...(problem !== null && { error: words(problem) })}
        />
      )}
      <ObjectField
        label={t('Values of variables')}
        addLabel={t('Add variable')}
        value={input.variables}
        onChange={(variables) => onInput({ ...input, variables })}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={Play} busy={trial.isPending} disabled={!canRun} onClick={run}>
          {t('Run')}
        </Button>
        <span className="text-muted">Ctrl/⌘ Enter</span>
        {!isComplete(draft) && <span className="text-muted">{t('Mend the JSON first.')}</span>}
      </div>
      {trial.error && <ProblemNote problem={trial.error} />}
      {trial.data && <TrialResult result={trial.data.value} />}
    </div>
  )
}

function trialBody(
  draft: ToolDraft,
  input: TrialInput,
  { mcps, secretsFrom }: Pick<ToolTrialProps, 'mcps' | 'secretsFrom'>,
) {
  return {
    tool: draft.fields as unknown as Tool,
    args: readObject(input.argumentsText) ?? {},
    dynamicVariables: { ...input.variables },
    mcps: [...mcps],
    ...(secretsFrom && { secrets_from: secretsFrom }),
  }
}

function TrialResult({ result }: { readonly result: ToolTestResult }) {
  const t = useText()
  const { duration } = useFormats()
  const { status, body, variables, durationMs, error } = result
  const isWorking = status === 'success'
  return (
    <section
      aria-label={t('Result')}
      aria-live="polite"
      className="flex min-w-0 flex-col gap-3 border-t border-line pt-4"
    >
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-semibold">{t('Result')}</h3>
        <Badge tone={isWorking ? 'good' : 'bad'}>{isWorking ? t('Worked') : t('Failed')}</Badge>
        <span className="text-muted tabular-nums">{duration(durationMs)}</span>
      </div>
      {error !== null && error !== body && (
        <p role="alert" dir="auto" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          {error}
        </p>
      )}
      <h4 className="font-medium">{t('What the model is told')}</h4>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
        tabIndex={0}
        aria-label={t('What the model is told')}
        className="max-h-80 overflow-auto rounded-md bg-sunken p-3"
      >
        <pre dir="auto" className="font-mono text-[0.8125rem] break-words whitespace-pre-wrap">
          {body === '' ? t('Nothing') : body}
        </pre>
      </section>
      {Object.keys(variables).length > 0 && (
        <>
          <h4 className="font-medium">{t('Variables that it sets')}</h4>
          <Facts items={Object.entries(variables)} />
        </>
      )}
    </section>
  )
}
