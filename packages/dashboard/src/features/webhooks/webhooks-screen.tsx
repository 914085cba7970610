import { Page } from '../../components/page.tsx'

export function WebhooksScreen() {
  return <Page title="WebhooksScreen">…</Page>
}
