import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { Duration } from "aws-cdk-lib/core";

/** Counted by the functions from their log events. */
export type LullCounter =
  | "MessagesStaged"
  | "MessagesRefused"
  | "WebhooksFailed"
  | "LeasesTaken"
  | "LeasesBusy"
  | "LeasesLost"
  | "TurnsCommitted"
  | "TurnsDead"
  | "SendsUnknown"
  | "Orphans"
  | "TriggersUnreadable"
  | "StoreRetries"
  | "Retriggered"
  | "RowsQuarantined";

/** Reported by the sweeper in every round. */
export type LullGauge =
  | "DeadLetters"
  | "UnknownSends"
  | "QuarantinedRows"
  | "StaleLeases"
  | "LeaseHeldSecondsMax";

/** Counted by the gateway's log. */
export type GatewayCounter = "WebhooksThrottled" | "WebhooksRefused";

const NAMESPACE = "Lull";
export const MINUTE = Duration.minutes(1);
export const FIVE_MINUTES = Duration.minutes(5);

/** Below this many takes the share of busy ones says nothing. */
const TAKES_MIN = 10;

/** The metrics of one deployment. */
export class LullMetrics {
  readonly #dimensionsMap: Record<string, string>;
  /** A log filter adds no dimensions of its own: deployments are told apart by the namespace. */
  readonly gatewayNamespace: string;

  constructor(serviceName: string) {
    this.#dimensionsMap = { service: serviceName };
    this.gatewayNamespace = `${NAMESPACE}/${serviceName}`;
  }

  counter(metricName: LullCounter, period = FIVE_MINUTES): Metric {
    return this.#metric(metricName, Stats.SUM, period);
  }

  gauge(metricName: LullGauge, period = MINUTE): Metric {
    return this.#metric(metricName, Stats.MAXIMUM, period);
  }

  /**
   * How long after their due time turns begin. Nine of ten: a customer who writes while being answered waits
   * for that answer.
   */
  lateness(period = MINUTE): Metric {
    return this.#metric("TurnLateSeconds", "p90", period);
  }

  gateway(metricName: GatewayCounter, period = FIVE_MINUTES): Metric {
    return new Metric({ namespace: this.gatewayNamespace, metricName, statistic: Stats.SUM, period });
  }

  /** The share of takes that found the lease held. A counter without events is silent, hence FILL. */
  busyRatio(period = FIVE_MINUTES): MathExpression {
    return new MathExpression({
      expression:
        `IF(FILL(taken, 0) + FILL(busy, 0) >= ${TAKES_MIN}, ` +
        "FILL(busy, 0) / (FILL(taken, 0) + FILL(busy, 0)), 0)",
      usingMetrics: {
        taken: this.counter("LeasesTaken", period),
        busy: this.counter("LeasesBusy", period),
      },
      label: "takes that found the lease held",
      period,
    });
  }

  #metric(metricName: string, statistic: string, period: Duration): Metric {
    return new Metric({
      namespace: NAMESPACE,
      metricName,
      dimensionsMap: this.#dimensionsMap,
      statistic,
      period,
    });
  }
}
