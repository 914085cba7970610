import type { McpServerSetting } from '@parley/contract/mcp-server'
import type { ToolTestResult } from '@parley/contract/tool-test'
import type { Tool } from '@parley/contract/tools'
import { Play } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { DescriptionList } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { findObjectProblem, parseObject, useObjectProblemText } from './json-text.ts'
import { ObjectField } from './object-field.tsx'
import { isValidDraft, type ToolDraft } from './tool-draft.ts'
import { type ToolTestInput, toTestInput } from './tool-test-input.ts'

export interface ToolTestProps {
  readonly draft: ToolDraft
  /** Null until the user edits the sample input. */
  readonly input: ToolTestInput | null
  readonly onInput: (input: ToolTestInput) => void
  readonly mcps: readonly McpServerSetting[]
  readonly variables: Readonly<Record<string, string>>
  /** LLM configuration that stores the tool's secrets. */
  readonly secretsFrom: string | undefined
}

/** Runs the edited tool with real requests and displays the result. */
export function ToolTest({
  draft,
  input: editedInput,
  onInput,
  mcps,
  variables: knownVariables,
  secretsFrom,
}: ToolTestProps) {
  const t = useText()
  const formatProblem = useObjectProblemText()
  const input = editedInput ?? toTestInput(draft.fields, knownVariables)
  const run = useWrite('testTool')
  const problem = findObjectProblem(input.argumentsText)
  const canRun = problem === null && isValidDraft(draft) && !run.isPending
  const startRun = (): void => {
    if (!canRun) return
    run.mutate({ body: buildTestBody(draft, input, { mcps, secretsFrom }) })
  }
  useHotkeys({ 'mod+enter': startRun })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the hotkey before the page does.
    <div
      className="flex flex-col gap-4"
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key !== 'Enter') return
        event.preventDefault()
        startRun()
      }}
    >
      <p className="text-muted">{t('Runs the tool once and sends real requests, but no text messages.')}</p>
      {draft.fields.type !== 'code' && (
        <CodeField
          label={t('Arguments')}
          help={t('Sample values from the schema.')}
          language="json"
          minHeight="7rem"
          value={input.argumentsText}
          onChange={(text) => onInput({ ...input, argumentsText: text })}
          {...(problem !== null && { error: formatProblem(problem) })}
        />
      )}
      <ObjectField
        label={t('Variables')}
        addLabel={t('Add variable')}
        value={input.variables}
        onChange={(variables) => onInput({ ...input, variables })}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={Play} busy={run.isPending} disabled={!canRun} onClick={startRun}>
          {t('Run')}
        </Button>
        <span className="text-muted">Ctrl/⌘ Enter</span>
        {!isValidDraft(draft) && <span className="text-muted">{t('Fix the JSON first.')}</span>}
      </div>
      {run.error && <ProblemNote problem={run.error} />}
      {run.data && <TestResult result={run.data.value} />}
    </div>
  )
}

function buildTestBody(
  draft: ToolDraft,
  input: ToolTestInput,
  { mcps, secretsFrom }: Pick<ToolTestProps, 'mcps' | 'secretsFrom'>,
) {
  return {
    tool: draft.fields as unknown as Tool,
    args: parseObject(input.argumentsText) ?? {},
    dynamicVariables: { ...input.variables },
    mcps: [...mcps],
    ...(secretsFrom && { secrets_from: secretsFrom }),
  }
}

function TestResult({ result }: { readonly result: ToolTestResult }) {
  const t = useText()
  const format = useFormatter()
  const { status, body, variables, durationMs, error } = result
  const isSuccess = status === 'success'
  return (
    <section
      aria-label={t('Result')}
      aria-live="polite"
      className="flex min-w-0 flex-col gap-3 border-t border-line pt-4"
    >
      <div className="flex flex-wrap items-center gap-3">
        <h3 className="font-semibold">{t('Result')}</h3>
        <Badge tone={isSuccess ? 'good' : 'bad'}>{isSuccess ? t('Success') : t('Failed')}</Badge>
        <span className="text-muted tabular-nums">{format.duration(durationMs)}</span>
      </div>
      {error !== null && error !== body && (
        <p role="alert" dir="auto" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          {error}
        </p>
      )}
      <h4 className="font-medium">{t('Output for the model')}</h4>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll the output.
        tabIndex={0}
        aria-label={t('Output for the model')}
        className="max-h-80 overflow-auto rounded-md bg-sunken p-3"
      >
        <pre dir="auto" className="font-mono text-[0.8125rem] break-words whitespace-pre-wrap">
          {body === '' ? t('Empty') : body}
        </pre>
      </section>
      {Object.keys(variables).length > 0 && (
        <>
          <h4 className="font-medium">{t('Variables set')}</h4>
          <DescriptionList items={Object.entries(variables)} />
        </>
      )}
    </section>
  )
}
