import { Page } from '../../components/page.tsx'

export function VoicesScreen() {
  return <Page title="VoicesScreen">…</Page>
}
