import { ArrowRight, TriangleAlert } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'

/** In the place of everything that needs a text that is JSON. */
export function FlowBroken({ onGo }: { readonly onGo: () => void }) {
  const t = useText()
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-bad-soft px-3 py-2.5 text-bad"
    >
      <TriangleAlert aria-hidden="true" className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-60">
        {t('The text of the flow is no JSON yet: a comma, a quote or a bracket is wrong.')}
      </p>
      <Button icon={ArrowRight} onClick={onGo} className="text-ink">
        {t('Go there')}
      </Button>
    </div>
  )
}
