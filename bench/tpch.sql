-- The 22 questions of TPC-H (specification 3.0.1, section 2.4), with the values that it gives for validation.
-- A line "-- Q1: ..." begins each. {lineitem} and the other names in braces stand for tables; bench/tpch puts places or
-- files there. {fraction} is 0.0001 divided by the scale.

-- Q1: pricing summary
select l_returnflag, l_linestatus, sum(l_quantity) as sum_qty, sum(l_extendedprice) as sum_base_price,
       sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
       avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, avg(l_discount) as avg_disc, count(*) as count_order
from {lineitem}
where l_shipdate <= date '1998-12-01' - interval 90 days
group by l_returnflag, l_linestatus
order by l_returnflag, l_linestatus;

-- Q2: the cheapest supplier of a part in a region
with offers as (
    select ps_partkey, ps_supplycost, s_acctbal, s_name, n_name, s_address, s_phone, s_comment
    from {partsupp} join {supplier} on s_suppkey = ps_suppkey
         join {nation} on n_nationkey = s_nationkey join {region} on r_regionkey = n_regionkey
    where r_name = 'EUROPE'
)
select s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
from {part} join offers o on o.ps_partkey = p_partkey
where p_size = 15 and p_type like '%BRASS'
  and ps_supplycost = (select min(other.ps_supplycost) from offers other where other.ps_partkey = p_partkey)
order by s_acctbal desc, n_name, s_name, p_partkey
limit 100;

-- Q3: unshipped orders of the greatest value
select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, o_shippriority
from {customer} join {orders} on o_custkey = c_custkey join {lineitem} on l_orderkey = o_orderkey
where c_mktsegment = 'BUILDING' and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15'
group by l_orderkey, o_orderdate, o_shippriority
order by revenue desc, o_orderdate
limit 10;

-- Q4: orders with a late line, by priority
select o_orderpriority, count(*) as order_count
from {orders}
where o_orderdate >= date '1993-07-01' and o_orderdate < date '1993-10-01'
  and exists (select 1 from {lineitem} where l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
group by o_orderpriority
order by o_orderpriority;

-- Q5: revenue of local suppliers
select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
from {customer} join {orders} on o_custkey = c_custkey join {lineitem} on l_orderkey = o_orderkey
     join {supplier} on s_suppkey = l_suppkey and s_nationkey = c_nationkey
     join {nation} on n_nationkey = s_nationkey join {region} on r_regionkey = n_regionkey
where r_name = 'ASIA' and o_orderdate >= date '1994-01-01' and o_orderdate < date '1995-01-01'
group by n_name
order by revenue desc;

-- Q6: what smaller discounts would bring
select sum(l_extendedprice * l_discount) as revenue
from {lineitem}
where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
  and l_discount between 0.05 and 0.07 and l_quantity < 24;

-- Q7: trade between two nations, by year
with shipping as (
    select supplying.n_name as supp_nation, buying.n_name as cust_nation, year(l_shipdate) as l_year,
           l_extendedprice * (1 - l_discount) as volume
    from {supplier} join {lineitem} on l_suppkey = s_suppkey join {orders} on o_orderkey = l_orderkey
         join {customer} on c_custkey = o_custkey
         join {nation} supplying on supplying.n_nationkey = s_nationkey
         join {nation} buying on buying.n_nationkey = c_nationkey
    where l_shipdate between date '1995-01-01' and date '1996-12-31'
      and ((supplying.n_name = 'FRANCE' and buying.n_name = 'GERMANY')
           or (supplying.n_name = 'GERMANY' and buying.n_name = 'FRANCE'))
)
select supp_nation, cust_nation, l_year, sum(volume) as revenue
from shipping
group by supp_nation, cust_nation, l_year
order by supp_nation, cust_nation, l_year;

-- Q8: a nation's share of a market, by year
with sales as (
    select year(o_orderdate) as o_year, l_extendedprice * (1 - l_discount) as volume, selling.n_name as nation
    from {part} join {lineitem} on l_partkey = p_partkey join {supplier} on s_suppkey = l_suppkey
         join {orders} on o_orderkey = l_orderkey join {customer} on c_custkey = o_custkey
         join {nation} buying on buying.n_nationkey = c_nationkey join {region} on r_regionkey = buying.n_regionkey
         join {nation} selling on selling.n_nationkey = s_nationkey
    where r_name = 'AMERICA' and p_type = 'ECONOMY ANODIZED STEEL'
      and o_orderdate between date '1995-01-01' and date '1996-12-31'
)
select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume) as mkt_share
from sales
group by o_year
order by o_year;

-- Q9: profit on a line of parts, by nation and year
with profits as (
    select n_name as nation, year(o_orderdate) as o_year,
           l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
    from {part} join {lineitem} on l_partkey = p_partkey join {supplier} on s_suppkey = l_suppkey
         join {partsupp} on ps_partkey = l_partkey and ps_suppkey = l_suppkey
         join {orders} on o_orderkey = l_orderkey join {nation} on n_nationkey = s_nationkey
    where p_name like '%green%'
)
select nation, o_year, sum(amount) as sum_profit
from profits
group by nation, o_year
order by nation, o_year desc;

-- Q10: customers who returned the most
select c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) as revenue, c_acctbal, n_name, c_address, c_phone,
       c_comment
from {customer} join {orders} on o_custkey = c_custkey join {lineitem} on l_orderkey = o_orderkey
     join {nation} on n_nationkey = c_nationkey
where o_orderdate >= date '1993-10-01' and o_orderdate < date '1994-01-01' and l_returnflag = 'R'
group by c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
order by revenue desc
limit 20;

-- Q11: the most important stock of a nation
with stock as (
    select ps_partkey, sum(ps_supplycost * ps_availqty) as value
    from {partsupp} join {supplier} on s_suppkey = ps_suppkey join {nation} on n_nationkey = s_nationkey
    where n_name = 'GERMANY'
    group by ps_partkey
)
select ps_partkey, value
from stock
where value > (select sum(value) * {fraction} from stock)
order by value desc;

-- Q12: late lines by shipping mode and priority
select l_shipmode,
       sum(case when o_orderpriority in ('1-URGENT', '2-HIGH') then 1 else 0 end) as high_line_count,
       sum(case when o_orderpriority not in ('1-URGENT', '2-HIGH') then 1 else 0 end) as low_line_count
from {orders} join {lineitem} on l_orderkey = o_orderkey
where l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate
  and l_receiptdate >= date '1994-01-01' and l_receiptdate < date '1995-01-01'
group by l_shipmode
order by l_shipmode;

-- Q13: customers by their number of orders
with counts as (
    select c_custkey, count(o_orderkey) as c_count
    from {customer} left join {orders} on o_custkey = c_custkey and o_comment not like '%special%requests%'
    group by c_custkey
)
select c_count, count(*) as custdist
from counts
group by c_count
order by custdist desc, c_count desc;

-- Q14: the share of promoted parts
select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) else 0 end)
       / sum(l_extendedprice * (1 - l_discount)) as promo_revenue
from {lineitem} join {part} on p_partkey = l_partkey
where l_shipdate >= date '1995-09-01' and l_shipdate < date '1995-10-01';

-- Q15: the best supplier of a quarter
with revenue as (
    select l_suppkey as supplier_no, round(sum(l_extendedprice * (1 - l_discount)), 4) as total_revenue
    from {lineitem}
    where l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-04-01'
    group by l_suppkey
)
select s_suppkey, s_name, s_address, s_phone, total_revenue
from {supplier} join revenue on supplier_no = s_suppkey
where total_revenue = (select max(total_revenue) from revenue)
order by s_suppkey;

-- Q16: suppliers of parts, by the parts' properties
select p_brand, p_type, p_size, count(distinct ps_suppkey) as supplier_cnt
from {partsupp} join {part} on p_partkey = ps_partkey
where p_brand <> 'Brand#45' and p_type not like 'MEDIUM POLISHED%' and p_size in (49, 14, 23, 45, 19, 3, 36, 9)
  and ps_suppkey not in (select s_suppkey from {supplier} where s_comment like '%Customer%Complaints%')
group by p_brand, p_type, p_size
order by supplier_cnt desc, p_brand, p_type, p_size;

-- Q17: what small orders bring
select sum(l_extendedprice) / 7.0 as avg_yearly
from {lineitem} line join {part} on p_partkey = l_partkey
where p_brand = 'Brand#23' and p_container = 'MED BOX'
  and l_quantity < (select 0.2 * avg(l_quantity) from {lineitem} other where other.l_partkey = p_partkey);

-- Q18: customers with large orders
select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) as quantity
from {customer} join {orders} on o_custkey = c_custkey join {lineitem} on l_orderkey = o_orderkey
where o_orderkey in (select l_orderkey from {lineitem} group by l_orderkey having sum(l_quantity) > 300)
group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
order by o_totalprice desc, o_orderdate
limit 100;

-- Q19: revenue of three kinds of parts
select sum(l_extendedprice * (1 - l_discount)) as revenue
from {lineitem} join {part} on p_partkey = l_partkey
where l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER IN PERSON'
  and ((p_brand = 'Brand#12' and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
        and l_quantity between 1 and 11 and p_size between 1 and 5)
       or (p_brand = 'Brand#23' and p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
           and l_quantity between 10 and 20 and p_size between 1 and 10)
       or (p_brand = 'Brand#34' and p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
           and l_quantity between 20 and 30 and p_size between 1 and 15));

-- Q20: suppliers with too much of a part
select s_name, s_address
from {supplier} join {nation} on n_nationkey = s_nationkey
where n_name = 'CANADA' and s_suppkey in (
    select ps_suppkey
    from {partsupp}
    where ps_partkey in (select p_partkey from {part} where p_name like 'forest%')
      and ps_availqty > (select 0.5 * sum(l_quantity) from {lineitem}
                         where l_partkey = ps_partkey and l_suppkey = ps_suppkey
                           and l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'))
order by s_name;

-- Q21: suppliers who kept orders waiting
select s_name, count(*) as numwait
from {supplier} join {lineitem} late on late.l_suppkey = s_suppkey join {orders} on o_orderkey = late.l_orderkey
     join {nation} on n_nationkey = s_nationkey
where o_orderstatus = 'F' and late.l_receiptdate > late.l_commitdate and n_name = 'SAUDI ARABIA'
  and exists (select 1 from {lineitem} other
              where other.l_orderkey = late.l_orderkey and other.l_suppkey <> late.l_suppkey)
  and not exists (select 1 from {lineitem} other
                  where other.l_orderkey = late.l_orderkey and other.l_suppkey <> late.l_suppkey
                    and other.l_receiptdate > other.l_commitdate)
group by s_name
order by numwait desc, s_name
limit 100;

-- Q22: customers who might order again
with those as (
    select substring(c_phone, 1, 2) as cntrycode, c_acctbal, c_custkey
    from {customer}
    where substring(c_phone, 1, 2) in ('13', '31', '23', '29', '30', '18', '17')
)
select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal
from those
where c_acctbal > (select avg(c_acctbal) from those where c_acctbal > 0.00)
  and not exists (select 1 from {orders} where o_custkey = c_custkey)
group by cntrycode
order by cntrycode;

-- Questions about one row in a hundred, by a column that has a search index. They are not of TPC-H. {orders_from} and
-- the like are numbers of orders and parts.

-- F1: lines of some orders
select count(*), sum(l_extendedprice * (1 - l_discount)), min(l_shipdate), max(l_receiptdate)
from {lineitem}
where l_orderkey between {orders_from} and {orders_to};

-- F2: orders and their lines, by priority
select o_orderpriority, count(*), sum(l_extendedprice), sum(o_totalprice)
from {orders} join {lineitem} on l_orderkey = o_orderkey
where o_orderkey between {orders_from} and {orders_to} and l_orderkey between {orders_from} and {orders_to}
group by o_orderpriority
order by o_orderpriority;

-- F3: comments of some orders
select o_orderkey, o_comment
from {orders}
where o_orderkey between {orders_from} and {orders_to} and o_comment like '%special%'
order by o_orderkey;

-- F4: lines of some parts
select count(*), sum(l_quantity), sum(l_extendedprice)
from {lineitem}
where l_partkey between {parts_from} and {parts_to};

-- F5: lines of 25 days
select l_shipmode, count(*), sum(l_quantity)
from {lineitem}
where l_shipdate between date '1995-06-01' and date '1995-06-25'
group by l_shipmode
order by l_shipmode;

-- F6: some suppliers of parts, and the parts
select p_brand, count(*), min(ps_supplycost), max(ps_comment)
from {partsupp} join {part} on p_partkey = ps_partkey
where ps_partkey between {parts_from} and {parts_to} and p_partkey between {parts_from} and {parts_to}
group by p_brand
order by p_brand;
