import { Facts, Panel } from '../../components/page.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { productWord, unitWord } from '../../parts/transcript/cost-words.ts'
import type { ShownCall } from './call-state.ts'

/** What a call cost, and what of it. */
export function CostsPanel({ call: { costs, costBreakdown } }: { readonly call: ShownCall }) {
  const t = useText()
  const formats = useFormats()
  const dollars = (sum: number | null): string => (sum === null ? t('not known') : formats.dollars(sum))
  const known = (word: string | null, otherwise: string): string => (word === null ? otherwise : t(word))
  // Below the costs of the parts.
  const inColumn = (sum: number | null) => <span className="block text-end tabular-nums">{dollars(sum)}</span>
  return (
    <Panel title={t('Cost')} description={t('US dollars. What has no known price is not guessed.')}>
      {costBreakdown.length > 0 && (
        <table className="w-full table-fixed border-collapse">
          <caption className="sr-only">{t('Parts of the cost')}</caption>
          <thead>
            <tr className="border-b border-line text-xs text-muted">
              <th scope="col" className="py-1.5 pe-3 text-start font-medium">
                {t('Used')}
              </th>
              <th scope="col" className="w-32 py-1.5 pe-3 text-end font-medium">
                {t('Quantity')}
              </th>
              <th scope="col" className="w-24 py-1.5 text-end font-medium">
                {t('Cost')}
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {costBreakdown.map(({ product, model, quantity, unit, cost }) => (
              <tr key={`${product} ${model} ${unit}`}>
                <td dir="auto" className="py-1.5 pe-3 align-top">
                  {known(productWord(product), product)}
                  {model !== null && <span className="block text-xs text-muted">{model}</span>}
                </td>
                <td className="py-1.5 pe-3 text-end align-top tabular-nums">
                  {formats.number(quantity, 1)}
                  <span className="block text-xs text-muted">{known(unitWord(unit), unit)}</span>
                </td>
                <td className="py-1.5 text-end align-top tabular-nums">{dollars(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Facts
        items={[
          [t('Voice'), inColumn(costs.voice)],
          [t('Language model'), inColumn(costs.llm)],
          [t('All parts together'), inColumn(costs.gross)],
          [t('Charged'), <strong key="total">{inColumn(costs.total)}</strong>],
        ]}
      />
    </Panel>
  )
}
